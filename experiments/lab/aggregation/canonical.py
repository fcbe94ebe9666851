"""A question's frontmatter in canonical form: every default spelled out, every value text."""

from collections.abc import Mapping, Sequence

from lab.domain.question import ResearchQuestion, Setting

Document = dict[str, object]


def frontmatter(question: ResearchQuestion) -> Document:
    """Return what the README declares, in a form that reads back to the same question."""
    document: Document = {
        "id": question.id,
        "question": question.question,
        "factors": {
            factor.name: [_level(level, "_x_" in factor.name) for level in factor.levels]
            for factor in question.factors
        },
        "controls": {setting.axis: _value(setting) for setting in question.controls},
        "outcomes": list(question.outcomes),
        "min_replicates": question.min_replicates,
        "timeout_policy": question.timeout_policy,
    }
    return document | _declared(
        closed=question.closed,
        status=question.status,
        primary=question.primary,
        power=_power(question),
    )


def _declared(**optional: object) -> Document:
    return {key: value for key, value in optional.items() if value is not None}


def _level(level: Sequence[Setting], is_pair: bool) -> object:
    if is_pair:
        return {setting.axis: _value(setting) for setting in level}
    return _value(level[0])


def _value(setting: Setting) -> str | Mapping[str, list[str]]:
    return setting.label if len(setting.values) == 1 else {"any": list(setting.values)}


def _power(question: ResearchQuestion) -> Document | None:
    power = question.power
    if power is None:
        return None
    return {
        "outcome": power.outcome,
        "min_effect": power.min_effect,
        "alpha": power.alpha,
        "power": power.power,
    }
