"""Object storage as a fleet needs it: whole objects, and writes that hold only under a condition.

A condition is what keeps two writers apart where there is no file system with locks: an object is made only where there
is none (`If-None-Match: *`), replaced or removed only where it is still the version that was read (`If-Match`). Both
are part of S3 since 2024, and of most servers that speak as it does; `check_conditions` finds out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphdream.errors import GraphdreamError, NotFoundError, UnwritableError, UsageError
from graphdream.fleet.holder import as_text, is_dead, parsed, this_holder

SCHEME = "s3://"
LARGEST = 5 * 1024**3  # bytes that S3 takes in one request, which is what a condition can be put on
_CHUNK = 1024 * 1024
_NOT_AS_ASKED = (409, 412)  # another writer was quicker, just now or before
_PROBE = ".graphdream-probe-"
_PROBE_SECONDS = 600.0  # nobody asks for longer
_INSTALL = "pip install 'graphdream[s3]'"


class ChangedError(GraphdreamError):
    """An object is not, or no more, the version that a write was for. Nothing was written."""

    exit_code = 4


class Listed(NamedTuple):
    """An object in a listing."""

    key: str
    size: int


class Read(NamedTuple):
    """A small object: its content, its version, and how long ago it was written by the server's own clock."""

    data: bytes
    version: str
    age_seconds: float


class Objects:
    """The objects of a bucket. Address, region and credentials come from the environment, as every S3 client has them.

    Args:
        bucket: its name.

    Raises:
        UsageError: the library that speaks with it is not installed.
    """

    def __init__(self, bucket: str) -> None:
        try:
            import s3fs
        except ImportError as fault:
            raise UsageError(f"{SCHEME}{bucket} needs a library that is not installed: {fault}", _INSTALL) from None
        self.bucket = bucket
        self._fs = s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)

    def list(self, prefix: str) -> Iterator[Listed]:
        """The objects whose key begins with a prefix, in the order of their keys."""
        token: dict[str, str] = {}
        while True:
            with self._told(prefix):
                page = self._fs.call_s3("list_objects_v2", Bucket=self.bucket, Prefix=prefix, **token)
            for one in page.get("Contents", ()):
                yield Listed(one["Key"], one["Size"])
            if not page.get("IsTruncated"):
                return
            token = {"ContinuationToken": page["NextContinuationToken"]}

    def read(self, key: str) -> Read:
        """A small object. Raises NotFoundError where there is none."""
        with self._told(key):
            found = self._got(key)
            headers = found["ResponseMetadata"]["HTTPHeaders"]
            age = parsedate_to_datetime(headers["date"]) - found["LastModified"]
            return Read(found["Body"], found["ETag"], age.total_seconds())

    def download(self, key: str, path: Path) -> str:
        """Write an object into a file, and return its version. Raises NotFoundError where there is none."""
        with self._told(key):
            return str(self._got(key, path)["ETag"])

    def put(self, key: str, body: bytes | Path, *, replacing: str = "") -> str:
        """Write an object, and return its new version.

        Args:
            body: its content, or the file that has it.
            replacing: the version that it takes the place of; "": there must be none.

        Raises:
            ChangedError: it is another version, or there is one.
            UnwritableError: it is too large.
        """
        if isinstance(body, Path) and body.stat().st_size > LARGEST:
            size = f"{body.stat().st_size / 1024**3:.1f} GiB"
            raise UnwritableError(f"{SCHEME}{self.bucket}/{key} would have {size}; S3 takes 5 in one piece")
        condition = {"IfMatch": replacing} if replacing else {"IfNoneMatch": "*"}
        # A request may be sent again by itself where its answer was lost; the mark tells then that it was our own.
        mark = os.urandom(16).hex()
        with self._told(key):
            try:
                with _opened(body) as content:
                    told = self._fs.call_s3(
                        "put_object", Bucket=self.bucket, Key=key, Body=content, Metadata={"graphdream-write": mark},
                        **condition,
                    )  # fmt: skip
                return str(told["ETag"])
            except OSError as fault:
                if not _is_refused(fault):
                    raise
            with suppress(FileNotFoundError):
                there = self._fs.call_s3("head_object", Bucket=self.bucket, Key=key)
                if there.get("Metadata", {}).get("graphdream-write") == mark:
                    return str(there["ETag"])
        raise ChangedError(f"{SCHEME}{self.bucket}/{key} was written by another program meanwhile")

    def delete(self, key: str, version: str) -> None:
        """Remove an object where it is still that version; another, or none, is left as it is."""
        with self._told(key):
            try:
                self._fs.call_s3("delete_object", Bucket=self.bucket, Key=key, IfMatch=version)
            except FileNotFoundError:
                pass
            except OSError as fault:
                if not _is_refused(fault):
                    raise

    def check_conditions(self, prefix: str) -> None:
        """See to it that the server keeps to conditions: one that passes over them would lose what others write.

        Raises:
            UnwritableError: it does not, or nothing may be written there.
        """
        self._sweep(prefix + _PROBE)
        key = f"{prefix}{_PROBE}{os.urandom(6).hex()}"
        version = self.put(key, as_text(this_holder(_PROBE_SECONDS)))
        try:
            for replacing in ("", '"0123456789abcdef0123456789abcdef"'):
                try:
                    version = self.put(key, b"no", replacing=replacing)
                except ChangedError:
                    continue
                raise UnwritableError(
                    f"the server of {SCHEME}{self.bucket} passes over conditions of a write, so that two writers would"
                    " overwrite each other: nothing is dreamed there",
                    "use a server that knows If-Match and If-None-Match for PutObject",
                )
        finally:
            self.delete(key, version)

    def _sweep(self, probes: str) -> None:
        """Remove the probes of processes that died while they asked."""
        for one in self.list(probes):
            with suppress(NotFoundError):
                there = self.read(one.key)
                if is_dead(parsed(there.data), there.age_seconds):
                    self.delete(one.key, there.version)

    def _got(self, key: str, path: Path | None = None) -> Mapping[str, Any]:
        """The answer to one request for an object, so that version and content belong together; `Body` is its content,
        or b"" where that was written into a file."""
        from fsspec.asyn import sync

        async def got() -> Mapping[str, Any]:
            found = await self._fs._call_s3("get_object", Bucket=self.bucket, Key=key)
            body = found["Body"]
            if path is None:
                return {**found, "Body": await body.read()}
            size = 0
            with path.open("wb") as file:
                while part := await body.read(_CHUNK):
                    size += file.write(part)
            if size != found["ContentLength"]:
                raise ConnectionError(f"{size} of {found['ContentLength']} bytes arrived")
            return {**found, "Body": b""}

        answer: Mapping[str, Any] = sync(self._fs.loop, got)
        return answer

    @contextmanager
    def _told(self, key: str) -> Iterator[None]:
        """What goes wrong at the server, or on the way there, as errors that say where."""
        where = f"{SCHEME}{self.bucket}/{key}"
        try:
            yield
        except FileNotFoundError as fault:
            raise NotFoundError(f"there is no {where}: {fault}") from fault
        except PermissionError as fault:
            hint = "see the credentials in the environment, and what they may do"
            raise UnwritableError(f"{where} cannot be used: {fault}", hint) from fault
        except GraphdreamError:
            raise
        except Exception as fault:  # the client has several families of errors
            raise UnwritableError(f"{where} cannot be used: {type(fault).__name__}: {fault}") from fault


@contextmanager
def _opened(body: bytes | Path) -> Iterator[Any]:
    if isinstance(body, bytes):
        yield body
        return
    with body.open("rb") as file:
        yield file


def _is_refused(fault: BaseException) -> bool:
    """Whether a server refused a write for its condition. What is gone is not the version either."""
    if isinstance(fault, FileNotFoundError):
        return True
    response = getattr(fault.__cause__, "response", None) or {}
    return response.get("ResponseMetadata", {}).get("HTTPStatusCode") in _NOT_AS_ASKED
