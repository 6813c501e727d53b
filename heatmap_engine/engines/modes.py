"""The two modes, as far as learning in one differs from learning in the other."""

from heatmap_engine import winning_chances
from heatmap_engine.classic.rethinking import SearchAgain
from heatmap_engine.classic.search import SearchSettings
from heatmap_engine.deep import settings as deep_settings
from heatmap_engine.deep.rethinking import DeepThink
from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.learning.game_loop import Adjudication
from heatmap_engine.memory.walk import Rethinking

AnySettings = SearchSettings | DeepSettings

# A won score is one at which 99 games of 100 are won, in either mode.
_DEEP_ADJUDICATION = Adjudication(won_score=800.0, drawn_score=10.0)


def rethinking(settings: AnySettings) -> Rethinking:
    """How positions of finished games are thought over again."""
    return DeepThink(settings) if isinstance(settings, DeepSettings) else SearchAgain(settings)


def expected_points(settings: AnySettings, score: float) -> float:
    """The points that White expects of a game with this score."""
    if isinstance(settings, DeepSettings):
        return deep_settings.expected_points(score)
    return winning_chances.expected_points(score)


def adjudication(mode: str) -> Adjudication:
    """When both sides have agreed for long enough on how a game stands."""
    return _DEEP_ADJUDICATION if mode == "deep" else Adjudication()
