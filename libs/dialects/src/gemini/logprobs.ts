import type { JsonObject } from '../call';
import type { Logprob } from '../response';
import { asNumber, asObject, asString, objectsOf } from '../values/json';

const TOP_MAX = 20;

/** Reads `logprobsResult`. */
export function logprobsOf(value: unknown): Logprob[] {
  const result = asObject(value);
  const tops = objectsOf(result?.['topCandidates']);
  return objectsOf(result?.['chosenCandidates']).map((chosen, index) => ({
    ...logprobOf(chosen),
    top: objectsOf(tops[index]?.['candidates']).slice(0, TOP_MAX).map(logprobOf),
  }));
}

const logprobOf = (candidate: JsonObject): Logprob => ({
  token: asString(candidate['token']) ?? '',
  logprob: asNumber(candidate['logProbability']) ?? 0,
});

/** Writes `logprobsResult`. */
export const logprobsResult = (items: readonly Logprob[]): JsonObject => ({
  chosenCandidates: items.map(candidateOf),
  topCandidates: items.map(({ top = [] }) => ({ candidates: top.map(candidateOf) })),
});

const candidateOf = ({ token, logprob }: Logprob): JsonObject => ({ token, logProbability: logprob });
