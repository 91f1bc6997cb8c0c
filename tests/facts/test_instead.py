"""What a value gave way to ends it, though the newer sentence has no other word of the older."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it, is_asked


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Linter: eslint", "Switched from eslint to biome."),
        ("Message queue: RabbitMQ", "Replaced RabbitMQ with NATS."),
        ("Search engine: Solr", "Swapped Solr for Meilisearch."),
        ("Search engine: Solr", "Typesense replaced Solr."),
        ("Suchmaschine: Solr", "Typesense hat Solr abgelöst."),
        ("Search engine: Solr 8", "Migrated from Solr to Typesense 27."),
        ("Bundler: webpack", "Use vite instead of webpack."),
        ("Map tiles: Mapbox", "We use Stadia now rather than Mapbox."),
        ("Piano tuner: Otto Reuss", "We dropped Otto Reuss for Klara Benz."),
        ("Stromanbieter: Naturstrom", "Von Naturstrom auf Polarstern umgestiegen."),
        ("Kamera: Canon", "Die Canon haben wir gegen eine Fuji getauscht."),
        ("Lieferwagen: VW Caddy", "Den Caddy gegen einen Berlingo getauscht."),  # a part of the name
        ("Le courrier part de Brest", "Le courrier a migré de Brest vers Lorient."),
        ("Le wiki est hébergé chez Ouvaton", "Le wiki a migré d'Ouvaton vers Gandi."),  # what is elided
        ("Meldungen gehen an Teams", "Meldungen gehen jetzt an Matrix statt an Teams."),
        ("Impresora: Brother", "Cambiamos de Brother a Epson."),
        ("Los avisos llegan a Teams", "Los avisos llegan ahora a Matrix en vez de a Teams."),
        ("Imprimante : Brother", "On a remplacé Brother par Epson."),
        ("Stampante: Brother", "Abbiamo sostituito Brother con Epson."),
        ("Impressora: Brother", "Trocamos a Brother pela Epson."),
        ("Printer: Brother", "Overgestapt van Brother naar Epson."),
        ("Skrivare: Brother", "Vi bytte från Brother till Epson."),
        ("Принтер: Brother", "Перешли с Brother на Epson."),
        ("打印机：Brother", "从 Brother 换成了 Epson。"),
    ],
)
def test_what_gave_way_is_over(older: str, newer: str) -> None:
    assert ends_it(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Message queue: RabbitMQ", "Connected RabbitMQ with NATS."),
        ("We use Matrix for alerts", "I use Zed now rather than Vim."),
        ("Message queue: RabbitMQ", "Replaced the pool in RabbitMQ."),
        ("Message queue: RabbitMQ", "Compared RabbitMQ with NATS."),
        ("Search engine: Solr", "Chose Solr over Meilisearch."),
        ("Search engine: Solr", "Copied the logs from Solr to Loki."),
        ("Search engine: Solr", "Moved the Solr handbook to Outline."),
        ("Linter: eslint", "We might switch from eslint to biome."),
        ("Linter: eslint", "We did not switch from eslint to biome."),
        ("Linter: eslint", "Did we switch from eslint to biome?"),
        ("Linter: eslint", "Use biome only in the docs, eslint elsewhere."),
        ("Piano tuner: Otto", "Swapped numbers with Otto."),
        ("Piano tuner: Otto", "Replaced Otto on Tuesday with Klara."),
        ("Piano tuner: Otto", "Kim's choir switched from Otto to Klara."),
        ("Piano tuner: Otto", "Switched from Otto to Klara and back to Otto."),
        ("Home: Tromsø", "Moved from Tromsø to Bodø for three weeks."),
        ("Tea: Assam", "Had Darjeeling instead of Assam at lunch."),
        ("Kamera: Canon", "Die Canon mit einer Fuji verglichen."),
        ("Impresora: Brother", "Conectamos Brother con Linux."),
        ("Imprimante : Brother", "On a comparé Brother avec Epson."),
    ],
)
def test_what_only_names_it_ends_nothing(older: str, newer: str) -> None:
    assert both_stay(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Message queue: RabbitMQ", "Replaced RabbitMQ with NATS on the edge nodes."),
        ("Tea: Assam", "Had Darjeeling instead of Assam at lunch."),
        ("Linter: eslint", "Hopped from eslint to biome."),
    ],
)
def test_what_may_have_given_way_is_asked_about(older: str, newer: str) -> None:
    assert is_asked(older, newer)
