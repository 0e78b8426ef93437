"""Raters are invited under a pseudonym and erased on request, on both servers."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest
from account_desks import AccountDesk, MemoryAccountDesk, RealAccountDesk
from servers import MemoryDesk, RealDesk
from studies import ANSWERS_OF_VARIANT, FORM, add_language, plan_batch

from annotation.batches import create_batch
from annotation.erasure import LabellingServer, erase_rater
from annotation.label_studio.accounts import Login
from annotation.label_studio.markup import build_result
from annotation.label_studio.protocol import RaterSession
from annotation.pull import pull_batch
from annotation.push import push_batch
from annotation.raters import Invitation, invite_rater, make_password
from corpus.errors import StateError, UnreachableError
from corpus.people import Person
from corpus.records import AssignmentState, Origin, RatingState
from corpus.store import Store
from corpus.store.mapping import TABLES
from tests.store_builders import make_store

ACTOR = "curator-1"


@pytest.fixture(params=["memory", pytest.param("real", marks=pytest.mark.label_studio)])
def desk(request: pytest.FixtureRequest) -> AccountDesk:
    if request.param == "memory":
        return MemoryAccountDesk(MemoryDesk())
    real: RealDesk = request.getfixturevalue("real_desk")
    return RealAccountDesk(real)


@pytest.fixture
def rater() -> str:
    """A pseudonym of this test alone: the real server is shared."""
    return f"rater-{uuid.uuid4().hex[:8]}"


def add(store: Store, *raters: str) -> None:
    with store.writing() as writer:
        writer.append(
            [Person(each, "rater", "Eva Nová", contact=f"{each}@mail.example") for each in raters]
        )


def invite(store: Store, desk: AccountDesk, rater: str, renew: bool = False) -> Invitation:
    return invite_rater(
        store,
        desk.accounts,
        rater,
        ACTOR,
        study="Study",
        home="http://labels.example",
        link=desk.desk.server.labelling_url,
        domain="raters.invalid",
        renew=renew,
    )


def erase(store: Store, desk: AccountDesk, rater: str) -> object:
    server = LabellingServer(
        desk.accounts, lambda batch: pull_batch(store, desk.desk.server, batch, ACTOR)
    )
    return erase_rater(store, server, rater, ACTOR)


def send(store: Store, desk: AccountDesk, raters: Sequence[str], size: int = 3) -> str:
    add_language(store, "sk", neutral=4, pairs=4)
    created = create_batch(store, plan_batch("sk", size, raters), ACTOR, Origin.HUMAN)
    push_batch(store, desk.desk.server, created.batch.id, ACTOR)
    return created.batch.id


def projects_of(store: Store, batch: str) -> dict[str, str | None]:
    with store.reading() as state:
        return {each.rater_id: each.external_id for each in state.assignments([batch])}


def answer(store: Store, session: RaterSession, batch: str, rater: str, count: int) -> None:
    project = projects_of(store, batch)[rater]
    assert project is not None
    with store.reading() as state:
        items = {item.id: item for item in state.items([batch])}
    open_tasks = [task for task in session.fetch_tasks(project) if not task.answers]
    for task in open_tasks[:count]:
        answers = ANSWERS_OF_VARIANT[items[task.data["item_id"]].variant]
        session.submit(task.id, build_result(FORM, answers))


def states(store: Store, batch: str) -> list[RatingState]:
    with store.reading() as state:
        return [each.state for each in state.ratings([i.id for i in state.items([batch])])]


def everything(store: Store) -> str:
    """All rows of all tables but the people's, as text."""
    with store.reading() as state:
        kinds = [kind for kind in TABLES if "position" in TABLES[kind].c and kind is not Person]
        return repr([state._all(kind) for kind in kinds])


def signed_in(desk: AccountDesk, invitation: Invitation) -> RaterSession:
    assert invitation.password is not None
    session = desk.sign_in(invitation.log_in, invitation.password)
    assert session is not None
    return session


def test_the_message_holds_all_she_needs_and_the_log_in_works(
    store: Store, desk: AccountDesk, rater: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    add(store, rater)
    batch = send(store, desk, [rater])
    made = invite(store, desk, rater)
    project = projects_of(store, batch)[rater]
    assert made.log_in == f"{rater}@raters.invalid"
    assert str(made.password) in made.message
    assert made.log_in in made.message
    assert desk.desk.server.labelling_url(str(project)) in made.message
    answer(store, signed_in(desk, made), batch, rater, 3)
    pull_batch(store, desk.desk.server, batch, ACTOR)
    assert states(store, batch) == [RatingState.VALID] * 3
    for secret in (str(made.password), made.log_in):
        assert secret not in repr(made)
        assert secret not in caplog.text
        assert secret not in everything(store)
    files = b"".join(each.read_bytes() for each in tmp_path.iterdir() if each.is_file())
    assert str(made.password).encode() not in files


def test_invited_again_she_keeps_her_log_in(store: Store, desk: AccountDesk, rater: str) -> None:
    add(store, rater)
    first = invite(store, desk, rater)
    again = invite(store, desk, rater)
    assert (again.log_in, again.password) == (first.log_in, None)
    signed_in(desk, first)


def test_she_can_be_invited_before_anything_is_sent(
    store: Store, desk: AccountDesk, rater: str
) -> None:
    add(store, rater)
    made = invite(store, desk, rater)
    assert "Sign in at http://labels.example" in made.message
    assert f"open the project with {rater} in its name" in made.message
    batch = send(store, desk, [rater])
    title = {each.id: each.title for each in desk.desk.server.find_projects()}
    assert rater in title[str(projects_of(store, batch)[rater])]
    answer(store, signed_in(desk, made), batch, rater, 1)
    pull_batch(store, desk.desk.server, batch, ACTOR)
    assert states(store, batch) == [RatingState.VALID]


def test_a_renewed_log_in_is_hers_and_so_is_what_she_did_before(
    store: Store, desk: AccountDesk, rater: str
) -> None:
    add(store, rater)
    batch = send(store, desk, [rater])
    answer(store, signed_in(desk, invite(store, desk, rater)), batch, rater, 1)
    renewed = invite(store, desk, rater, renew=True)
    assert renewed.log_in == f"{rater}.2@raters.invalid"
    answer(store, signed_in(desk, renewed), batch, rater, 1)
    [pulled] = pull_batch(store, desk.desk.server, batch, ACTOR)
    assert (pulled.added, pulled.invalid, pulled.problems) == (2, 0, ())
    assert states(store, batch) == [RatingState.VALID] * 2
    assert invite(store, desk, rater).password is None


def test_another_study_may_use_the_same_pseudonym(
    store: Store, desk: AccountDesk, rater: str, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = make_store(tmp_path / "other")
    for each in (store, other):
        add(each, rater)
    assert invite(other, desk, rater).log_in == f"{rater}@raters.invalid"
    assert invite(store, desk, rater).log_in == f"{rater}.2@raters.invalid"
    other.close()


def test_an_invitation_cut_short_is_completed_by_the_next(
    store: Store, desk: AccountDesk, rater: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, rater)

    def break_off(_: object) -> None:
        raise UnreachableError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(desk.accounts, "sign_up", break_off)
        with pytest.raises(UnreachableError):
            invite(store, desk, rater)
    made = invite(store, desk, rater)
    assert made.log_in == f"{rater}@raters.invalid"
    signed_in(desk, made)


def test_a_pseudonym_that_is_no_address_gets_one(store: Store) -> None:
    desk = MemoryAccountDesk(MemoryDesk())
    add(store, "Hodnotiteľka 1")
    made = invite(store, desk, "Hodnotiteľka 1")
    assert made.log_in.isascii()
    assert made.log_in.startswith("rater-")
    assert "You are Hodnotiteľka 1 in all data" in made.message


def test_her_own_address_is_used_if_she_has_one(store: Store) -> None:
    desk = MemoryAccountDesk(MemoryDesk())
    with store.writing() as writer:
        writer.append([Person("r1", "rater", address="Eva@agency.example")])
    assert invite(store, desk, "r1").log_in == "Eva@agency.example"


def test_nobody_unknown_is_invited(store: Store) -> None:
    add(store, "r1")
    with pytest.raises(StateError, match=r"no rater r2; add her .* Known: r1"):
        invite(store, MemoryAccountDesk(MemoryDesk()), "r2")


def test_passwords_differ_and_hold_no_letters_that_look_alike() -> None:
    made = {make_password() for _ in range(200)}
    assert len(made) == 200
    assert not set("".join(made)) & set("lo01O")
    assert {len(each) for each in made} == {23}


def test_erased_she_is_gone_everywhere_and_her_ratings_stay(
    store: Store, desk: AccountDesk, rater: str
) -> None:
    other = f"{rater}-b"
    add(store, rater, other)
    batch = send(store, desk, [rater, other])
    first = invite(store, desk, rater)
    renewed = invite(store, desk, rater, renew=True)
    answer(store, signed_in(desk, first), batch, rater, 2)
    erased = erase_rater(
        store,
        LabellingServer(
            desk.accounts, lambda each: pull_batch(store, desk.desk.server, each, ACTOR)
        ),
        rater,
        ACTOR,
    )
    assert (erased.accounts, erased.ratings, erased.open_items) == (2, 2, 1)
    for each in (first, renewed):
        assert desk.sign_in(each.log_in, str(each.password)) is None
    assert not {first.log_in, renewed.log_in} & set(desk.accounts.user_ids())
    with store.reading() as state:
        person = next(each for each in state.people() if each.id == rater)
        assert (person.name, person.address, person.contact) == (None, None, None)
        [hers] = [each for each in state.assignments([batch]) if each.rater_id == rater]
        assert (hers.state, hers.external_id, len(hers.item_ids)) == (
            AssignmentState.LEFT,
            None,
            2,
        )
    assert "Eva" not in everything(store)
    assert "@" not in everything(store).replace("@demo", "")
    # The server's answers have no author any more; that is no reason to doubt them.
    pull_batch(store, desk.desk.server, batch, ACTOR)
    push_batch(store, desk.desk.server, batch, ACTOR)
    assert states(store, batch) == [RatingState.VALID] * 2
    assert projects_of(store, batch)[rater] is None
    assert any("`export`" in each for each in erased.remains)
    with pytest.raises(StateError, match="was erased"):
        invite(store, desk, rater)


@pytest.mark.parametrize("step", ["delete_user", "renew_invite_link"])
def test_an_erasure_cut_short_is_completed_by_the_next(
    store: Store, desk: AccountDesk, rater: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, rater)
    batch = send(store, desk, [rater])
    answer(store, signed_in(desk, invite(store, desk, rater)), batch, rater, 1)

    def break_off(*_: object) -> None:
        raise UnreachableError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(desk.accounts, step, break_off)
        with pytest.raises(UnreachableError):
            erase(store, desk, rater)
    pull_batch(store, desk.desk.server, batch, ACTOR)
    erase(store, desk, rater)
    assert states(store, batch) == [RatingState.VALID]
    with store.reading() as state:
        assert state.log_in_addresses()[rater] == frozenset()
    # Once more it only cleans the files.
    erase(store, desk, rater)


def test_a_server_that_does_not_answer_keeps_her_whole(store: Store) -> None:
    desk = MemoryAccountDesk(MemoryDesk())
    add(store, "r1")
    batch = send(store, desk, ["r1"])
    invite(store, desk, "r1")
    desk.desk._memory.reachable = False
    with pytest.raises(UnreachableError):
        erase(store, desk, "r1")
    assert projects_of(store, batch)["r1"] is not None
    with store.reading() as state:
        assert state.log_in_addresses()["r1"] == {"r1@raters.invalid"}


def test_an_address_in_the_audit_trail_is_told(store: Store) -> None:
    with store.writing() as writer:
        writer.append([Person("r1", "rater", address="eva@agency.example")])
    desk = MemoryAccountDesk(MemoryDesk())
    invite_rater(
        store,
        desk.accounts,
        "r1",
        "eva@agency.example",
        study="Study",
        home="",
        link=str,
        domain="raters.invalid",
    )
    erased = erase_rater(store, None, "r1", ACTOR)
    assert any(each.startswith("1 audit entries hold her name") for each in erased.remains)


@pytest.mark.label_studio
def test_what_the_real_server_keeps_of_an_erased_rater(
    store: Store, real_desk: RealDesk, rater: str
) -> None:
    desk = RealAccountDesk(real_desk)
    add(store, rater)
    batch = send(store, desk, [rater])
    made = invite(store, desk, rater)
    session = signed_in(desk, made)
    answer(store, session, batch, rater, 1)
    project = str(projects_of(store, batch)[rater])
    drafted = next(task.id for task in session.fetch_tasks(project) if not task.answers)
    session._send("POST", f"/api/tasks/{drafted}/drafts?project={project}", json={"result": []})
    pull_batch(store, real_desk.server, batch, ACTOR)
    old_link = desk.invite_token()
    erase(store, desk, rater)
    with pytest.raises(UnreachableError, match="refuses the token"):
        session.fetch_tasks(project)
    assert desk.sign_up_with(old_link, f"{rater}.3@raters.invalid") == 403
    assert desk.sign_up_with(desk.invite_token(), f"{rater}.4@raters.invalid") == 302
    [kept] = [each for task in real_desk.server.fetch_tasks(project) for each in task.answers]
    assert (kept.completed_by, kept.updated_by) == (None, None)
    # What `erase` says: a file of an earlier export holds her address, the database does not.
    found = {
        each.parent.name
        for each in desk.desk._process.data_dir.rglob("*")
        if each.is_file() and made.log_in.encode() in each.read_bytes()
    }
    assert found == {"export"}


@pytest.mark.label_studio
def test_the_server_sets_no_new_password(real_desk: RealDesk, rater: str) -> None:
    """Why a renewed log-in is a second account."""
    desk = RealAccountDesk(real_desk)
    address = f"{rater}@raters.invalid"
    desk.accounts.sign_up(Login(address, "a-long-password-1"))
    user = desk.accounts.user_ids()[address]
    changed = real_desk._vandal.patch(f"/api/users/{user}/", json={"password": "a-long-password-2"})
    assert changed.status_code == 200
    assert desk.sign_in(address, "a-long-password-2") is None
    assert desk.sign_in(address, "a-long-password-1") is not None


@pytest.mark.label_studio
def test_only_the_owner_may_delete_users(real_desk: RealDesk, rater: str) -> None:
    from annotation.label_studio.accounts import LabelStudioAccounts

    desk = RealAccountDesk(real_desk)
    desk.accounts.sign_up(Login(f"{rater}@raters.invalid", "a-long-password-1"))
    user = desk.accounts.user_ids()[f"{rater}@raters.invalid"]
    member = LabelStudioAccounts(desk.url, real_desk._vandal.headers["Authorization"].split()[1])
    with pytest.raises(StateError, match="only the owner"):
        member.delete_user(user)
    assert desk.accounts.delete_user(user)
    assert not desk.accounts.delete_user(user)
    with pytest.raises(UnreachableError, match=r"refuses the request \(401\)"):
        LabelStudioAccounts(desk.url, "0" * 40).user_ids()
