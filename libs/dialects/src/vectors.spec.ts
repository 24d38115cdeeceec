import { errorFaults } from './spec-support/error-vectors';
import { requestFaults, responseFaults, streamFaults, VECTORS, type Vector } from './spec-support/vectors';

const CHAT = VECTORS.filter(
  ({ family, profile, to }) => family === undefined && profile !== 'bedrock-native' && to !== 'canonical',
);
const title = ({ id, note }: Vector): string => `${id}: ${note}`;
const of = (kind: Vector['kind']): (readonly [string, Vector])[] =>
  CHAT.filter((vector) => vector.kind === kind).map((vector) => [title(vector), vector]);

/** Returns pseudo-random cut positions that are the same in each run. */
function randomSplit(length: number): number[] {
  const cuts: number[] = [];
  for (let at = 1, state = 42; at < length; at += 1 + (state % 23)) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    cuts.push(at);
  }
  return cuts;
}

describe('dialect vectors: requests', () => {
  it.each(of('request'))('encodes the request %s', (_title, vector) => {
    expect(requestFaults(vector)).toEqual([]);
    // The codecs are stateless.
    expect(requestFaults(vector)).toEqual([]);
  });
});

describe('dialect vectors: responses', () => {
  it.each(of('response'))('translates the response %s', (_title, vector) => {
    expect(responseFaults(vector)).toEqual([]);
  });
});

describe('dialect vectors: streams', () => {
  it.each(of('stream'))('translates the stream %s', (_title, vector) => {
    expect(streamFaults(vector, () => [])).toEqual([]);
    expect(
      streamFaults(vector, (length) => Array.from({ length: length - 1 }, (_, index) => index + 1)),
    ).toEqual([]);
    expect(streamFaults(vector, randomSplit)).toEqual([]);
  });
});

describe('dialect vectors: errors', () => {
  const errors = VECTORS.filter(({ kind }) => kind === 'error');
  it.each(errors.map((vector): [string, Vector] => [title(vector), vector]))(
    'reads the error %s',
    (_title, vector) => {
      expect(errorFaults(vector)).toEqual([]);
    },
  );
});
