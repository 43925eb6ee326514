"""Names and meanings of metadata fields."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime
from enum import IntEnum
from functools import lru_cache
from typing import Any

from engine.ingestion.structure.headings import parse_heading
from engine.ingestion.structure.outline import Node
from engine.language.addresses import Address, parse_label
from engine.language.characters import visible
from engine.language.dates import DATE, parse_date
from engine.languages import words
from engine.model import SectionKind

# Common fields of a record under the names that sources use
#
# Unknown fields stay in the metadata of the passage, or of the document if all its records agree.

Metadata = Mapping[str, Any]

DOCUMENT_NAMES = ("regulation", "document")
ABBREVIATIONS = ("abbreviation", "short_name")
TYPES = ("regulation_type", "type")
# From the outside in; a value longer than ``LONGEST_NUMBER`` is a name.
CONTAINERS_NAMED = (
    "code", "book", "buku", "buch", "livre", "title", "part", "teil", "partie", "chapter", "bab", "kapitel",
)  # fmt: skip
LONGEST_NUMBER = 4
VERSIONS = ("version", "version_date", "consolidated")

# Status words of sources and their normal forms; other words are kept unchanged.
STATUSES = {
    **dict.fromkeys((
        "ساري", "active", "in_force", "in force", "valid", "berlaku", "gjeldende", "gällande",
        "gældende", "geltend", "in kraft", "geldend", "vigente", "en vigor", "vigueur", "en vigueur",
        "vigore", "in vigore", "em vigor", "obowiązujący", "现行有效", "有效", "현행",
    ), "in force"),
    **dict.fromkeys((
        "لاغي", "ملغاة", "canceled", "cancelled", "repealed", "tidak berlaku", "dicabut",
        "aufgehoben", "opphevet", "upphävd", "ophævet", "außer kraft", "vervallen", "derogado",
        "derogada", "abrogé", "abroge", "abrogato", "abrogata", "revogado", "revogada", "uchylony",
        "已废止", "废止", "失效", "폐지", "no longer in force",
    ), "repealed"),
    "amended": "amended", "معدلة": "amended", "not_in_force": "not in force", "draft": "draft",
}  # fmt: skip

_LEADING_NUMBER = re.compile(
    r"(?:§{1,2}|Art(?:\.|ikel|icle)?|Anlage|Anhang)\s*\d+\s?[a-z]?(?![\w])", re.IGNORECASE
)
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\d{2}:.{0,24})?|(\d{1,2})[./](\d{1,2})[./](\d{4})")
_COMPACT = re.compile(r"((?:1[5-9]|20|21)\d\d)(\d\d)(\d\d)")
_WRITTEN = re.compile(DATE, re.IGNORECASE)
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")


@dataclass(frozen=True, slots=True)
class Provision:
    """The provision of a record: its address, its own heading, and its outer headings from the outside in."""

    address: Address | None
    title: str
    nodes: tuple[Node, ...]
    dotted: tuple[str, ...] | None


def article_word(language: str) -> str:
    """Return the word for an article in a language."""
    return words(language).article


def first_text(metadata: Metadata, names: tuple[str, ...]) -> str | None:
    """Return the first text value of several fields, or None."""
    for name in names:
        value = metadata.get(name)
        if isinstance(value, date):
            # YAML parses "2020-04-01" as a date.
            return value.isoformat()
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return None


def day_of(value: Any) -> date | None:
    """Parse a date such as 2021-03-05 (with or without a time), 20210305, 05/03/2021, 5.3.2021 or "5 March
    2021".

    Returns None for any other value.
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        # YAML parses 20210305 as an integer.
        value = str(value)
    if not isinstance(value, str):
        return None
    match = _DAY.fullmatch(value.strip())
    if match is None:
        if (compact := _COMPACT.fullmatch(value.strip())) is not None:
            return _made(*map(int, compact.groups()))
        return parse_date(value) if _WRITTEN.fullmatch(value.strip()) else None
    parts = match.group(1, 2, 3) if match[1] else match.group(6, 5, 4)
    return _made(*(int(part) for part in parts))


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def year_of(metadata: Metadata) -> int | None:
    """Return the year of a document, or None if it is outside the calendar."""
    value = metadata.get("year")
    if isinstance(value, int) and not isinstance(value, bool):
        return value if MINYEAR <= value <= MAXYEAR else None
    match = _YEAR.search(str(value)) if value else None
    return int(match[1]) if match else None


def status_of(value: Any) -> str | None:
    """Normalise the status of a text; unknown words are returned unchanged."""
    if value is True or value is False or not value:
        return None
    text = str(value).strip()
    return STATUSES.get(text.casefold(), text)


def passage_status(metadata: Metadata) -> str | None:
    """Return the status of the record itself, if it has a separate status field."""
    if metadata.get("repealed") is True:
        return "repealed"
    return status_of(metadata.get("article_status"))


def provision_of(metadata: Metadata, language: str) -> Provision:
    """Find the provision of a record from its label, article or recital."""
    path_field = metadata.get("path")
    pieces = (
        [str(piece) for piece in path_field] if isinstance(path_field, list) else list(_containers(metadata))
    )
    path = tuple(visible(piece).strip() for piece in pieces if visible(piece).strip())
    label = first_text(metadata, ("passage_label", "rule"))
    nodes = tuple(heading_node(piece) for piece in path)
    if label is not None:
        dotted = path or (label,)
        # A path that does not end in the label consists of headings.
        outer = () if dotted[-1] in visible(label) else nodes
        return Provision(parse_label(label, language), "", outer, None if outer else dotted)
    address, title = _numbered(metadata, language)
    return Provision(address, title, nodes, None)


def _containers(metadata: Metadata) -> Iterator[str]:
    """Yield the names of the containers of a record from the outside in: "Run-off", "Part 3" if the part is
    "3"."""
    for name in CONTAINERS_NAMED:
        if value := first_text(metadata, (name,)):
            yield value if len(value) > LONGEST_NUMBER else f"{name.capitalize()} {value}"


def heading_node(text: str) -> Node:
    """Make the node of a heading in a path."""
    heading = parse_heading(text)
    return Node(text, heading.kind, heading.number, heading.title, text, heading.slug)


def _numbered(metadata: Metadata, language: str) -> tuple[Address | None, str]:
    heading = str(metadata.get("heading") or "").strip()
    if leading := _LEADING_NUMBER.match(heading):
        return parse_label(leading[0], language), heading[leading.end() :].strip(" -–—:.")
    if recital := first_text(metadata, ("recital",)):
        return Address(SectionKind.RECITAL, recital), heading
    article = first_text(metadata, ("article",))
    label = first_text(metadata, ("article_label",))
    if label and (found := parse_heading(label)).number and found.kind is SectionKind.ARTICLE:
        # The label is as printed; some sources number articles in hundreds in addition.
        return Address(SectionKind.ARTICLE, found.number), found.title
    if article is None:
        return None, heading
    if (
        not any(character.isdigit() for character in article)
        and (found := parse_heading(article)).number is None
    ):
        return (Address(found.kind, None) if found.kind is SectionKind.PREAMBLE else None), heading
    label = article if not article[0].isdigit() else f"{article_word(language)} {article}"
    number = parse_heading(article).number or article
    return parse_label(label, language) or Address(SectionKind.ARTICLE, number), heading


# Names of date, identifier, title, language and author fields
#
# Names are compared folded: lower case, without accents and separators, so that "Gültig ab", "gueltig_ab" and
# "eli:date_applicability" match the entries below. A prefix before a colon is a vocabulary (ELI, Dublin Core)
# and is ignored.

_BETWEEN = re.compile(r"[\s_\-.@:/]+")
# Maximum depth of nested objects.
_DEEPEST = 3


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """Fold a field name for comparison: "Gültig-ab" and "gueltig_ab" both give "gultigab"."""
    local = name.rpartition(":")[2] or name
    plain = unicodedata.normalize("NFKD", local.casefold())
    return _BETWEEN.sub("", "".join(letter for letter in plain if not unicodedata.combining(letter)))


# German also has spellings without umlauts.
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def _folds(names: str) -> Iterator[str]:
    for name in names.split():
        yield from (folded(name), folded(name.translate(_SPELT_OUT)))


class DayKind(IntEnum):
    """The kind of date in a field, most reliable for the start of a version first."""

    EFFECT = 0
    STATE = 1
    FILE_NAME = 2
    UNKNOWN = 3
    PUBLISHED = 4
    FILE = 5
    END = 6


# First day in force of a text or of this version.
_EFFECT = """
    valid_from valid_since validity_from validity_start start_of_validity valid_start valid_from_date
    effective effective_from effective_date date_effective effective_since effective_start date_of_effect
    effectivity_date in_force_from in_force_since in_force
    date_in_force in_force_date first_date_entry_in_force
    entry_into_force entry_in_force date_entry_into_force date_of_entry_into_force entry_into_force_date
    comes_into_force coming_into_force commencement commencement_date
    date_of_commencement commences commenced
    start_date date_start from_date applicable_from applies_from date_applicability application_date
    date_of_application applicability_date valid dc_date_valid date_valid operative_date operative_from
    effective_on effect_date date_of_effectivity takes_effect takes_effect_on in_effect_from enforcement_date
    gültig_ab gültig_von gültig_seit geltung_ab geltend_ab gilt_ab in_kraft in_kraft_ab in_kraft_seit
    in_kraft_getreten inkrafttreten inkrafttretedatum inkrafttretensdatum
    wirksam_ab wirksamkeit anwendbar_ab
    gültigkeit_ab gültigkeitsbeginn beginn_der_gültigkeit
    date_debut debut date_de_debut debut_validité debut_vigueur
    date_debut_vigueur en_vigueur en_vigueur_depuis
    en_vigueur_le date_entree_en_vigueur date_entree_vigueur entree_en_vigueur entree_vigueur date_vigueur
    date_effet date_d_effet prise_d_effet applicable_depuis valable_des valide_des date_application
    fecha_vigencia vigencia vigencia_desde inicio_vigencia
    fecha_inicio_vigencia fecha_de_vigencia vigente_desde
    fecha_entrada_en_vigor fecha_entrada_vigor entrada_en_vigor entrada_vigor en_vigor en_vigor_desde
    fecha_inicio fecha_efectos fecha_efectiva vigente_a_partir
    in_vigore in_vigore_dal in_vigore_da data_entrata_in_vigore entrata_in_vigore data_vigore data_vigenza
    vigenza vigente_dal inizio_vigenza data_inizio_vigenza decorrenza data_decorrenza valido_dal
    vigor em_vigor em_vigor_desde data_vigencia inicio_vigencia data_entrada_em_vigor entrada_em_vigor
    data_inicio vigente_a_partir_de
    geldig_vanaf geldig_van geldend_vanaf geldend_van inwerkingtreding datum_inwerkingtreding in_werking
    in_werking_sinds ingangsdatum datum_ingang van_kracht_vanaf
    ikraft ikraftträdande ikraftträder gäller_från i_kraft
    i_kraft_från träder_i_kraft giltig_från gyldig_fra
    ikrafttreden ikrafttredelse ikrafttrædelse ikrafttrædelsesdato i_kraft_fra gælder_fra gjelder_fra
    dato_ikrafttredelse
    voimassa voimaantulo voimaantulopäivä voimassa_alkaen
    obowiązuje_od wejście_w_życie data_wejścia_w_życie data_obowiązywania
    platnost_od účinnost účinnost_od datum_účinnosti účinný_od účinnosť účinnosť_od
    hatályos hatályos_ettől hatálybalépés hatálybalépés_dátuma hatály_kezdete
    in_vigoare in_vigoare_din data_intrării_în_vigoare data_in_vigoare
    galioja_nuo įsigaliojimas įsigaliojimo_data įsigalioja spēkā_no spēkā_stāšanās spēkā
    jõustumine jõustumise_kuupäev kehtiv_alates kehtib_alates kehtivuse_algus
    velja_od začetek_veljavnosti datum_začetka stupa_na_snagu na_snazi_od vrijedi_od
    yürürlük_tarihi yürürlük yürürlüğe_giriş isxys ισχύς ισχύει_από έναρξη_ισχύος
    в_сила_от действует_с вступление_в_силу дата_вступления_в_силу чинний_з
    berlaku tanggal_berlaku mulai_berlaku berlaku_sejak ngày_hiệu_lực hiệu_lực_từ
    施行日期 生效日期 施行日 施行期日 施行年月日 تاريخ_النفاذ تاريخ_السريان 시행일 시행일자
"""
# Date of the text: of its consolidation or last change.
_STATE = """
    version version_date date_version date_of_version version_day version_of consolidated consolidation
    consolidation_date date_consolidation consolidated_date consolidated_on
    consolidated_as_of last_consolidated
    as_of as_at as_of_date status_date point_in_time point_in_time_date snapshot snapshot_date revision
    revision_date date_revision last_revised edition_date
    last_updated updated update_date date_updated updated_on last_update last_amended amended_on amended
    last_change_in_force last_change last_changed_on changed_on date_changed reform_date last_reform
    amendment_date date_amended last_amendment last_modification last_changed date_last_updated
    current_to current_as_of text_date state_of state
    stand stand_vom stand_am stand_datum standdatum fassung fassung_vom fassungsdatum konsolidierung
    konsolidiert_am letzte_änderung zuletzt_geändert geändert_am aktualisiert zuletzt_aktualisiert
    versionsdatum version_vom
    date_de_version version_du date_consolidee version_consolidee date_de_consolidation consolidee_au
    derniere_modification derniere_mise_a_jour date_mise_a_jour mise_a_jour date_modification modifie_le
    etat_au date_etat
    fecha_version version_fecha fecha_actualizacion ultima_actualizacion actualizacion actualizado
    fecha_consolidacion fecha_ultima_modificacion ultima_modificacion fecha_modificacion fecha_de_version
    data_versione versione_del data_aggiornamento ultimo_aggiornamento aggiornato_al aggiornamento
    ultima_modifica data_modifica testo_vigente_al data_consolidamento
    data_versao versao data_atualizacao ultima_atualizacao data_consolidacao ultima_alteracao
    versiedatum datum_versie toestand toestand_op peildatum laatst_gewijzigd geconsolideerd
    laatste_wijziging bijgewerkt
    ändrad senast_ändrad version_datum uppdaterad senast_uppdaterad sist_endret sist_oppdatert konsolidert
    opdateret senest_ændret version_dato versjonsdato päivitetty muutettu versio
    wersja data_wersji data_tekstu_jednolitego stan_na aktualizacja znění_ke_dni znění verze datum_verze
    stav_ku_dňu redakcia suvestinė_redakcija redakcija redakcijos_data redaktsioon redaktsiooni_kuupäev
    data_versiunii actualizat_la időállapot verzió változat
    редакция дата_редакции редакція
    güncelleme değişiklik_tarihi perubahan_terakhir pembaruan 修正日期 修订日期 版本日期 تاريخ_التحديث 개정일
"""
# Last day in force, or first day no longer in force.
_END = """
    valid_to valid_until valid_till validity_end end_of_validity expires expiry expiry_date expiration
    effective_to effective_until effective_end in_force_until in_force_to end_date date_end to_date until
    date_no_longer_in_force no_longer_in_force repealed repealed_on repeal_date date_repealed date_of_repeal
    ceases ceased_on superseded_on superseded_by_date end_validity
    gültig_bis gültigkeit_bis gilt_bis geltend_bis geltung_bis in_kraft_bis außer_kraft außerkrafttreten
    aufgehoben_am außerkrafttretensdatum gültigkeitsende
    date_fin fin date_de_fin fin_validité fin_vigueur date_fin_vigueur en_vigueur_jusqu_au date_abrogation
    abrogation abroge_le
    vigente_hasta vigencia_hasta fin_vigencia fecha_fin_vigencia fecha_fin fecha_derogacion derogacion
    derogada fecha_fin_de_vigencia
    vigente_al vigente_fino_al in_vigore_fino_al fine_vigore fine_vigenza data_fine data_fine_vigenza
    data_abrogazione valido_fino_al
    vigente_ate data_revogacao data_fim fim_vigencia
    geldig_tot geldig_tot_en_met geldend_tot einddatum datum_einde vervallen vervaldatum buiten_werking
    upphävd giltig_till gäller_till upphävandedatum opphevet gyldig_til ophævet i_kraft_til
    obowiązuje_do uchylony data_uchylenia platnost_do účinnost_do galioja_iki spēkā_līdz kehtiv_kuni
    kehtivuse_lõpp velja_do hatályos_eddig hatály_vége ισχύει_έως berlaku_sampai
    失效日期 废止日期 تاريخ_الإلغاء
"""
# Publication and enactment: date a version only if no better field exists.
_PUBLISHED = """
    date published publication publication_date date_publication date_published pub_date date_of_publication
    issued issue_date date_issued enacted enactment_date date_enacted date_document document_date
    promulgated promulgation_date signed signature_date date_signature
    assent assent_date date_of_assent adopted
    adoption_date date_adopted announcement_date gazette_date
    datum verkündet verkündung veröffentlicht veröffentlichung veröffentlichungsdatum ausfertigungsdatum
    ausgefertigt erlassen erlassdatum beschlussdatum
    date_publication publie_le date_texte date_signature date_de_publication parution
    fecha fecha_publicacion fecha_de_publicacion fecha_disposicion fecha_promulgacion publicado
    data data_pubblicazione pubblicazione data_emanazione pubblicato_il data_publicacao publicacao
    publicatiedatum datum_publicatie datum_ondertekening bekendgemaakt
    utfärdad utfärdandedatum kunngjort kunngjøringsdato bekendtgjort dato annettu julkaistu
    data_ogłoszenia ogłoszono vyhlášeno datum_vyhlášení kihirdetve vastu_võetud paskelbta priimta
    tanggal tanggal_diundangkan diundangkan ditetapkan 公布日期 发布日期 تاريخ_النشر 공포일
"""
# Date of the file: says nothing about the law unless no other date differs.
_FILE = """
    created created_at date_created creation_date modified
    modified_at date_modified modification_date mod_date
    generated generated_at exported imported ingested created_timestamp
    last_checked checked last_seen timestamp erstellt erstellt_am recupere_le
"""
# Fetch dates, recognised anywhere in a field name.
_FETCHED = re.compile(
    "download|retriev|fetch|scrap|crawl|access(?!ion)|abruf|abgerufen|heruntergeladen|telecharg|consult|descarg"
    "|scaric|geraadpleegd|hamtad|hentet|unduh|akses|下载|抓取|تحميل"
)
_KINDS: Mapping[str, DayKind] = {
    name: kind
    for kind, names in (
        (DayKind.FILE, _FILE),
        (DayKind.PUBLISHED, _PUBLISHED),
        (DayKind.END, _END),
        (DayKind.STATE, _STATE),
        (DayKind.EFFECT, _EFFECT),
    )
    for name in _folds(names)
}
# Identifiers of a text in all its versions, most reliable first.
_IDENTIFIERS = """
    work work_id work_uri frbrwork identifier identificador identifiant identificativo identificatore
    identifikator kennung kennzeichen eli eli_uri eli_id uri_eli
    celex celex_number law_id act_id document_id
    doc_id norm_id norma_id id_norma norm_number bwb_id bwbid
    boe_id sfs sfs_nummer sfs_number sr_nummer sr_number
    gesetzesnummer textnummer cid nor urn urn_nir uri iri id_texte texte_id code_id codice_redazionale
    id_local local_id id slug code kurzname jurabk abbreviation abkürzung abréviation short_name
"""
IDENTIFIERS = tuple(dict.fromkeys(_folds(_IDENTIFIERS)))
_TITLES = """
    title titel titre titulo titolo título judul tytuł nazov název cím pavadinimas pealkiri otsikko tittel
"""
_SHORT_TITLES = """
    short_title abbreviation short_name jurabk citation_title short abbr kurztitel kurzbezeichnung abkürzung
    kurzname titre_court titre_abrégé abréviation titulo_corto titulo_abreviado abreviatura título_curto
    titolo_breve
    citeertitel korte_titel afkorting kortnamn kort_titel korttittel kortform forkortelse rövid_cím
    skrócony_tytuł skrót
    krátký_název kısa_başlık 略称 简称 약칭
"""
_LANGUAGES = "language lang sprache langue idioma lengua lingua taal språk sprog jazyk"
_ISSUERS = """
    issuer issuing_body issued_by passed_by issuing_authority authority erlassen_von normgeber herausgeber
    autorite emetteur organismo emisor ente_emittente autorita uitgever
"""
_AUTHORS = """
    author authors publisher creator written_by published_by verfasser autor autorin verlag auteur editeur
    editorial autore editore penulis penerbit redactor uitgegeven_door
"""
TITLES = tuple(dict.fromkeys(_folds(_TITLES)))
SHORT_TITLES = tuple(dict.fromkeys(_folds(_SHORT_TITLES)))
LANGUAGES = tuple(dict.fromkeys(_folds(_LANGUAGES)))
ISSUERS = tuple(dict.fromkeys(_folds(_ISSUERS)))
AUTHORS = tuple(dict.fromkeys(_folds(_AUTHORS)))
_ALL = frozenset((*_KINDS, *IDENTIFIERS, *TITLES, *SHORT_TITLES, *LANGUAGES, *ISSUERS))


def is_known_field(name: str) -> bool:
    """Return True for the name of a date, identifier, title, language or issuer field."""
    return folded(name) in _ALL or _FETCHED.search(folded(name)) is not None


def day_kind(name: str) -> DayKind:
    """Return the kind of date that a field of this name contains."""
    plain = folded(name)
    return _KINDS.get(plain, DayKind.FILE if _FETCHED.search(plain) else DayKind.UNKNOWN)


def leaves(metadata: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) for the fields of an object; fields of nested objects follow, with dotted names."""
    inner = []
    for name, value in metadata.items():
        if isinstance(value, Mapping):
            inner.append((str(name), value))
        else:
            yield str(name), value
    for name, value in inner if depth < _DEEPEST else ():
        yield from ((f"{name}.{below}", simple) for below, simple in leaves(value, depth + 1))


def first_value(metadata: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first non-empty value among the fields with these folded names, or None."""
    present: dict[str, Any] = {}
    for name, value in leaves(metadata):
        if value not in (None, "", []):
            present.setdefault(folded(name.rpartition(".")[2]), value)
    return next((present[name] for name in names if name in present), None)
