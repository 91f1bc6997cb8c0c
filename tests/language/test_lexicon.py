"""The language of a text: told by its words, sentence by sentence, and soon given up where nobody knows it."""

from __future__ import annotations

import pytest

from graphdream.language import lexicon
from graphdream.language.lexicon import Languages, language_of

TOLD = {
    "en": (
        "The dough is made at four in the morning.",
        "Mirela and her brother run the shop together.",
        "They are open on all days but Sunday.",
    ),
    "de": (
        "Der Teig wird um vier Uhr morgens gemacht.",
        "Mirela und ihr Bruder führen den Laden gemeinsam.",
        "Sie haben an allen Tagen außer sonntags offen.",
    ),
    "es": (
        "La masa se hace a las cuatro de la mañana.",
        "Mirela y su hermano llevan la tienda juntos.",
        "Abren todos los días menos el domingo.",
    ),
    "fr": (
        "La pâte est faite à quatre heures du matin.",
        "Mirela et son frère tiennent la boutique ensemble.",
        "Ils ouvrent tous les jours sauf le dimanche.",
    ),
    "pt": (
        "A massa é feita às quatro da manhã.",
        "Mirela e o seu irmão cuidam da loja juntos.",
        "Eles abrem todos os dias menos ao domingo.",
    ),
    "nl": (
        "Het deeg wordt om vier uur in de ochtend gemaakt.",
        "Mirela en haar broer hebben samen een winkel.",
        "Ze zijn op alle dagen open maar niet op zondag.",
    ),
}
ONE_OF = {
    "en": "Yesterday Mirela signed the contract with the landlord.",
    "de": "Gestern hat Mirela den Vertrag unterschrieben.",
    "es": "Ayer firmó Mirela el contrato con el dueño.",
    "fr": "Hier le propriétaire a signé le contrat avec Mirela.",
    "pt": "Ontem a Mirela não assinou o contrato com o dono.",
    "nl": "Gisteren heeft Mirela het contract ondertekend.",
}


@pytest.mark.parametrize(
    ("around", "one"),
    [
        ("en", "de"), ("de", "en"), ("en", "es"), ("es", "en"), ("en", "fr"), ("fr", "en"), ("es", "pt"),
        ("pt", "es"), ("de", "nl"), ("nl", "de"), ("en", "nl"),
    ],
)  # fmt: skip
def test_a_sentence_among_those_of_another_language_is_read_in_its_own(around: str, one: str) -> None:
    languages = Languages((*TOLD[around][:2], ONE_OF[one], TOLD[around][2]))
    assert [languages.of(sentence) for sentence in TOLD[around]] == [around] * 3
    assert languages.of(ONE_OF[one]) == one


@pytest.mark.parametrize(
    "sentence",
    [
        "Mirela deploys the api via ssh und scp.",
        "Tarik keeps a croissant de luxe in the fridge.",
        "Mirela rsyncs bckp dirs.",
        "Nyx.",
    ],
)
def test_a_sentence_with_words_that_nobody_knows_is_in_the_language_of_its_session(sentence: str) -> None:
    assert Languages((*TOLD["en"], sentence)).of(sentence) == "en"


UNKNOWN = {
    "Swahili": "Juma anaishi Mombasa na anafanya kazi katika duka la mkate. Yeye hununua unga kutoka kwa Bakari kila Jumatatu.",
    "Welsh": "Mae Rhian yn byw yng Nghaernarfon ac yn gweithio mewn becws. Mae hi'n prynu blawd gan Gwilym bob dydd Llun.",
    "Esperanto": "Petro loĝas en Varsovio kaj laboras en bakejo. Li aĉetas farunon de Karlo ĉiun lundon.",
    "Tagalog": "Nakatira si Juan sa Cebu at nagtatrabaho siya sa panaderya. Bumibili siya ng harina kay Pedro tuwing Lunes.",
    "Polish": "Marek mieszka w Gdyni i pracuje w piekarni. Kupuje mąkę od Jana w każdy poniedziałek.",
    "Finnish": "Matti asuu Turussa ja on töissä leipomossa. Hän ostaa jauhoja Pekalta joka maanantai.",
    "a short one": "Juma anakula mkate.",
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_a_text_in_a_language_without_a_dictionary_loads_few_dictionaries(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that might know it had been loaded one by one, for ten seconds."""
    asked: set[str] = set()
    dictionary = lexicon._dictionary

    def noted(language: str) -> object:
        asked.add(language)
        return dictionary(language)

    monkeypatch.setattr(lexicon, "_dictionary", noted)
    language_of.cache_clear()
    assert language_of(text) is None
    assert len(asked) <= 3
