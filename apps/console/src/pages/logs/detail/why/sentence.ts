import type { AttemptRecord } from '@gw/contracts';
import { logDetail } from '../../../../messages/en/log-detail';
import { waterfallText } from '../../../../messages/en/waterfall';
import { shortTarget } from '../../../../ui/waterfall';
import type { Decision, LogDetail } from '../record';

const text = logDetail.why;

/** Why a request ended as it did. */
export interface Sentence {
  readonly tone: 'info' | 'ok' | 'warn' | 'danger';
  readonly title: string;
  /** Further facts, each a sentence. */
  readonly facts: readonly string[];
}

type Log = Pick<LogDetail, 'outcome' | 'response_status_code' | 'error_type' | 'is_success' | 'cache_status'>;

/** Describes how a request ended, from its log record only. */
export function sentenceOf(log: Log, decision: Decision): Sentence {
  const { tone, title } = ending(log, decision);
  return {
    tone,
    title,
    facts: [configOf(decision), conditionOf(decision), movedOn(decision)].filter(isText),
  };
}

const isText = (fact: string | null): fact is string => fact !== null;

type Ending = Pick<Sentence, 'tone' | 'title'>;

function ending(log: Log, decision: Decision): Ending {
  const { outcome, error_type: error, response_status_code: status } = log;
  const refused = decision.limits.find(({ verdict }) => verdict === 'refused');
  const denying = decision.guardrails.find(({ verdict, deny, monitor }) => !verdict && deny && !monitor);
  switch (outcome) {
    case 'ok':
      return status < 400 ? answered(log, decision) : { tone: 'warn', title: text.status(status) };
    case 'denied':
      if (denying !== undefined) return { tone: 'warn', title: text.denied(denying.id, denying.stage) };
      if (refused !== undefined)
        return {
          tone: 'warn',
          title: text.overLimit(text.scope(refused.scope), text.limitType(refused.type)),
        };
      return { tone: 'warn', title: text.refused(error) };
    case 'provider_error':
      return { tone: 'danger', title: text.providerFailed(status, targetsOf(decision.attempts).length) };
    case 'client_closed':
      return { tone: 'warn', title: text.clientLeft };
    case 'interrupted':
      return { tone: 'danger', title: error === 'gateway_lost' ? text.gatewayLost : text.interrupted };
    default:
      return { tone: 'danger', title: text.failed(error) };
  }
}

function answered({ cache_status: cache }: Log, decision: Decision): Ending {
  const { attempts, idempotency } = decision;
  if (idempotency === 'replayed') return { tone: 'ok', title: text.replayed };
  if (cache === 'HIT' || cache === 'SEMANTIC HIT')
    return { tone: 'ok', title: text.cached(cache === 'SEMANTIC HIT', decision.cache?.similarity) };
  const answer = attempts.findLast(({ end }) => end === 'answered');
  if (answer === undefined) return { tone: 'ok', title: text.answeredWithoutCall };
  const targets = targetsOf(attempts);
  const place = targets.indexOf(answer.target);
  if (answer.hedge === 'second') return { tone: 'info', title: text.hedged };
  if (place > 0) return { tone: 'info', title: text.byTarget(place + 1) };
  if (answer.retry > 0) return { tone: 'info', title: text.byRetry(answer.retry) };
  return { tone: 'ok', title: targets.length > 1 ? text.byTarget(1) : text.firstTry };
}

/** Targets in the order in which they were attempted or skipped. */
const targetsOf = (attempts: readonly AttemptRecord[]): readonly string[] => [
  ...new Set(attempts.map(({ target }) => target)),
];

function configOf({ config, strategy }: Decision): string | null {
  if (config === undefined || config.source === 'none' || config.source === undefined) return null;
  return text.config(config.slug, config.source, modesOf(strategy).join(' → '));
}

/**
 * Extracts the distinct strategy modes, such as `fallback` from `config: fallback -> targets[0]`.
 */
const modesOf = (strategy: readonly string[]): readonly string[] => [
  ...new Set(strategy.map((step) => /: (\S+)/.exec(step)?.[1] ?? step)),
];

const conditionOf = ({ matchedCondition }: Decision): string | null =>
  typeof matchedCondition === 'string' ? text.condition(matchedCondition) : null;

/**
 * Describes the targets before the last one, such as `targets[0] ended with 503 twice`; null when
 * there was only one.
 */
function movedOn({ attempts }: Decision): string | null {
  const last = attempts.at(-1)?.target;
  const before = targetsOf(attempts).filter((target) => target !== last);
  if (before.length === 0) return null;
  return text.movedOn(
    before.map((target) => {
      const ends = attempts.filter((attempt) => attempt.target === target).map(endWord);
      const words = [...new Set(ends)].map((word) =>
        text.times(word, ends.filter((end) => end === word).length),
      );
      return text.ended(shortTarget(target), words);
    }),
  );
}

const endWord = ({ end, status }: AttemptRecord): string =>
  end === 'status' && status !== null ? String(status) : waterfallText.end(end);
