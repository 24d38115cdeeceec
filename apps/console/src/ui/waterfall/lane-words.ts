import { STAGE_NAMES, waterfallText as text } from '../../messages/en/waterfall';
import { duration, plain } from '../format';
import type { AttemptLane, GatewayLane, GuardrailLane, Lane } from './waterfall-lanes';

/** Texts of a lane. */
export interface LaneWords {
  readonly name: string;
  readonly detail: string;
  /** Text on or next to the bar. */
  readonly label: string;
  /** Sentences for the tooltip and for screen readers. */
  readonly facts: readonly string[];
}

export function laneWords(lane: Lane): LaneWords {
  switch (lane.kind) {
    case 'attempt':
      return attemptWords(lane);
    case 'guardrail':
      return guardrailWords(lane);
    case 'waited':
      return { name: text.waited, detail: text.waitedDetail, label: took(lane), facts: [spanOf(lane)] };
    case 'before':
    case 'between':
    case 'after':
    case 'settle':
      return gatewayWords(lane);
  }
}

const NAMES: Readonly<Record<GatewayLane['kind'], string>> = {
  before: text.before,
  between: text.between,
  after: text.afterCalls,
  settle: text.settle,
};

/** Index of a stage, because the log does not store their order. Unknown stages come last. */
const placeOf = (name: string): number => {
  const at = STAGE_NAMES.indexOf(name);
  return at === -1 ? STAGE_NAMES.length : at;
};

function gatewayWords(lane: GatewayLane): LaneWords {
  const { kind } = lane;
  const stages = [...lane.stages].sort(([one], [other]) => placeOf(one) - placeOf(other));
  const names = stages.map(([name]) => text.stageName(name));
  const several = names.length === 0 ? '' : text.stages(names.length, names.join(', '));
  return {
    name: NAMES[kind],
    detail: kind === 'settle' ? text.settleDetail : several,
    label: took(lane),
    facts: [spanOf(lane), ...stages.map(([name, ms]) => text.stage(text.stageName(name), duration(ms)))],
  };
}

function attemptWords(lane: AttemptLane): LaneWords {
  const { attempt, isWinner, events } = lane;
  const { credential, provider, end, reason, model } = attempt;
  return {
    name: credential === null ? provider || text.noProvider : `@${credential}`,
    detail: `${shortTarget(attempt.target)} · ${callWord(lane)}`,
    label: joined([
      isWinner ? text.won : '',
      ...endWords(lane),
      ...events.map(({ event }) => text.event(event)),
    ]),
    facts: [
      ...(model === null || model === '' ? [] : [model]),
      spanOf(lane),
      text.endLong(end),
      ...(reason === null || reason === '' ? [] : [reason]),
      ...events.map(({ event }) => text.eventLong(event)),
    ],
  };
}

function callWord({ isAnswer, attempt: { end, hedge, retry } }: AttemptLane): string {
  if (isAnswer && end === 'answered') return text.answeredClient;
  if (hedge !== undefined) return text.hedge[hedge];
  return retry === 0 ? text.firstTry : text.retry(retry);
}

/** Describes how and after how long a call ended; for the response, when it began to arrive. */
function endWords({ attempt, firstByteMs, tokensPerSecond, from }: AttemptLane): readonly string[] {
  const { end, status, durationMs } = attempt;
  if (firstByteMs !== null && end === 'answered') {
    const first = duration(firstByteMs - from);
    if (tokensPerSecond === null) return [text.firstByte(first)];
    return [text.firstToken(first), text.speed(plain(tokensPerSecond))];
  }
  const word = end === 'status' && status !== null ? String(status) : text.end(end);
  return [end === 'skipped' ? word : text.after(word, duration(durationMs))];
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');

function guardrailWords(lane: GuardrailLane): LaneWords {
  const { id, stage, verdict, deny, durationMs, checks, async: isAsync, monitor } = lane.guardrail;
  const word = text.guardrail(verdict, deny && !monitor);
  const checkNames = checks.map((check) => check.id).join(', ');
  const notes = [isAsync ? text.background : '', monitor ? text.observed : ''].filter((note) => note !== '');
  return {
    name: id,
    detail: [checkNames === '' ? text.guardrailStage[stage] : checkNames, ...notes].join(' · '),
    label: text.guardrailTook(word, duration(durationMs)),
    facts: [
      text.guardrailStage[stage],
      ...notes,
      ...checks.map(
        (check) => `${check.id}: ${check.error ?? text.check(check.verdict)}, ${duration(check.durationMs)}`,
      ),
    ],
  };
}

/** Shortens `config.targets[1]` to `targets[1]`. */
export const shortTarget = (path: string): string => path.replace(/^config\./, '');

const took = ({ from, to }: Lane): string => duration(to - from);
const spanOf = ({ from, to }: Lane): string => text.span(duration(from), duration(to));
