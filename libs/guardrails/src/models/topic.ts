import { CheckError, defineCheck } from '../check';
import { objectsOf, type JsonObject } from '../json';
import { object, scopeParameter, textList, textsOf } from '../parameters';
import type { ModelTarget } from '../port';
import type { Subject } from '../subject';
import type { Scope } from '../text/scope';
import { callModel, piecesWithin, TARGET_PARAMETERS, targetOf, type TargetParameters } from './model-target';

interface Parameters extends TargetParameters {
  readonly topics: readonly string[];
  readonly operator: 'none' | 'any';
  readonly threshold: number;
  readonly dimensions?: number;
  readonly scope: readonly Scope[];
}

type Vector = readonly number[];

/** Maximum characters of one input, which embedding models accept in any language. */
const PIECE_LENGTH = 6_000;
const PIECES_MAX = 32;
/** Milliseconds for which the vectors of the topics are cached. */
const TOPICS_CACHE_MS = 3_600_000;

export const topic = defineCheck<Parameters>({
  id: 'gw.topic',
  aliases: ['default.topic'],
  doc: 'No text is about one of the topics; with `any`, each is about at least one. Compares embeddings.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 5_000,
  timeoutParameter: 'timeout',
  parameters: object(
    {
      ...TARGET_PARAMETERS,
      topics: {
        ...textList(50, 2_000),
        minItems: 1,
        description: 'Names or, better, typical sentences.',
      },
      operator: { enum: ['none', 'any'], default: 'none' },
      threshold: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        default: 0.5,
        description:
          'Minimum cosine similarity of a text about a topic; the right value depends on the model.',
      },
      dimensions: { type: 'integer', minimum: 1, maximum: 8_192 },
      scope: scopeParameter('last_message'),
    },
    ['topics'],
  ),
  example: {
    provider: '@openai',
    model: 'text-embedding-3-small',
    topics: ['Advice on buying or selling shares', 'Party politics and elections'],
    operator: 'none',
    threshold: 0.45,
    scope: ['last_message'],
  },
  prepare(parameters, report) {
    const { topics, operator, threshold, scope } = parameters;
    const vectors = new TopicVectors(parameters, targetOf(parameters, report));
    return {
      async evaluate(subject, { port, signal }) {
        const texts = textsOf(subject, scope).filter((text) => text.trim() !== '');
        if (texts.length === 0) return { verdict: true, data: { texts: 0 } };
        const pieces = piecesWithin(texts, PIECE_LENGTH, PIECES_MAX);
        const { ofTexts, ofTopics } = await vectors.fetch(subject, pieces, signal, port.now());
        const nearest = ofTexts.map((vector) => nearestOf(vector, ofTopics));
        const isAbout = nearest.map(({ similarity }) => similarity >= threshold);
        const best = nearest.reduce((one, other) => (other.similarity > one.similarity ? other : one));
        return {
          verdict: operator === 'any' ? isAbout.every(Boolean) : !isAbout.some(Boolean),
          data: { topic: topics[best.at] ?? null, similarity: Math.round(best.similarity * 1_000) / 1_000 },
        };
      },
    };
  },
});

interface Vectors {
  readonly ofTexts: readonly Vector[];
  readonly ofTopics: readonly Vector[];
}

/** Vectors of texts and of the topics. The topics' vectors are fetched once an hour. */
class TopicVectors {
  private cached: { readonly vectors: readonly Vector[]; readonly untilMs: number } | null = null;

  constructor(
    private readonly parameters: Parameters,
    private readonly target: ModelTarget,
  ) {}

  async fetch(
    subject: Subject,
    texts: readonly string[],
    signal: AbortSignal,
    nowMs: number,
  ): Promise<Vectors> {
    const cached = this.cached !== null && this.cached.untilMs > nowMs ? this.cached.vectors : null;
    if (cached !== null) {
      const ofTexts = await this.embed(subject, texts, signal);
      // A different length means that another model has responded than the one that embedded the
      // topics.
      if (ofTexts[0]?.length === cached[0]?.length) return { ofTexts, ofTopics: cached };
    }
    const all = await this.embed(subject, [...texts, ...this.parameters.topics], signal);
    const [ofTexts, ofTopics] = [all.slice(0, texts.length), all.slice(texts.length)];
    this.cached = { vectors: ofTopics, untilMs: nowMs + TOPICS_CACHE_MS };
    return { ofTexts, ofTopics };
  }

  private async embed(
    subject: Subject,
    input: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Vector[]> {
    const { model, dimensions } = this.parameters;
    const body = {
      ...(model !== undefined && { model }),
      input,
      ...(dimensions !== undefined && { dimensions }),
    };
    const response = await callModel(subject, { route: 'embeddings', target: this.target, body, signal });
    return vectorsIn(response, input.length);
  }
}

/** Returns the vectors in the order of the texts, all of the same length. */
function vectorsIn({ data }: JsonObject, count: number): readonly Vector[] {
  const items = [...objectsOf(data)].sort((a, b) => Number(a['index'] ?? 0) - Number(b['index'] ?? 0));
  const vectors = items.map(vectorOf);
  const length = vectors[0]?.length ?? 0;
  if (vectors.length !== count || length === 0 || vectors.some((vector) => vector.length !== length)) {
    throw new CheckError('The embeddings response does not match the texts.');
  }
  return vectors;
}

function vectorOf({ embedding: vector }: JsonObject): Vector {
  const isVector = Array.isArray(vector) && vector.every((each) => typeof each === 'number');
  return isVector ? vector : [];
}

function nearestOf(
  vector: Vector,
  others: readonly Vector[],
): { readonly at: number; readonly similarity: number } {
  let nearest = { at: 0, similarity: -1 };
  others.forEach((other, at) => {
    const similarity = cosine(vector, other);
    if (similarity > nearest.similarity) nearest = { at, similarity };
  });
  return nearest;
}

function cosine(a: Vector, b: Vector): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x = 0, y = 0] = [a[at], b[at]];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : product / Math.sqrt(ofA * ofB);
}
