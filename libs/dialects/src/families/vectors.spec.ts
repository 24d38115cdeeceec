import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import { CLIENT_CODECS, PROVIDER_CODECS } from '../codecs';
import { LossLedger } from '../losses';
import { mismatches } from '../spec-support/matching';
import { VECTORS, type Vector } from '../spec-support/vectors';
import { targetOf, type Target } from '../target';
import { translateEmbeddings } from './embeddings/translate-embeddings';
import { EMBEDDINGS_FORMS, IMAGES_FORMS, RERANK_FORMS } from './forms';
import { translateImages } from './images/translate-images';
import { translateRerank } from './rerank/translate-rerank';

const PROVIDERS: Readonly<Record<string, string>> = {
  gemini: 'google',
  'vertex-imagen': 'vertex-ai',
  'bedrock-converse': 'bedrock',
  'bedrock-titan': 'bedrock',
  'bedrock-rerank': 'bedrock',
};

function targetFor({ from, to, kind, model, input, request }: Vector): Target {
  const provider = kind === 'request' ? to : from;
  const named = model ?? (kind === 'request' ? input : (request ?? {}))['model'];
  return targetOf({
    provider: PROVIDERS[provider] ?? provider,
    dialect: 'gemini',
    model: typeof named === 'string' ? named : 'm',
  });
}

/** Vectors of a family and kind for which both sides exist. */
const of = (
  family: string,
  kind: Vector['kind'],
  exists: (provider: string, client: string) => boolean,
): (readonly [string, Vector])[] =>
  VECTORS.filter((vector) => vector.family === family && vector.kind === kind)
    .filter(({ from, to }) => (kind === 'request' ? exists(to, from) : exists(from, to)))
    .map((vector) => [`${vector.id}: ${vector.note}`, vector]);

function requestFaults(
  { expect: expected }: Vector,
  translate: () => readonly { readonly path: string; readonly body: JsonObject }[],
): string[] {
  try {
    const calls = translate();
    const wanted = (expected['calls'] ?? [expected]) as { body?: unknown; path?: string }[];
    if (expected['status'] !== undefined) return [`was not refused: ${JSON.stringify(calls)}`];
    return wanted.flatMap(({ body, path }, index) => [
      ...mismatches(body ?? {}, calls[index]?.body),
      ...(path === undefined
        ? []
        : mismatches(path.replace(/^\/(?:v1|v1beta|api)(?=\/)/, ''), calls[index]?.path)),
    ]);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const { status, type, options } = thrown;
    return mismatches(
      { status: expected['status'], type: expected['type'], param: expected['param'] },
      { status, type, param: options.param },
    );
  }
}

describe('dialect vectors: embeddings', () => {
  const has = (provider: string): boolean => EMBEDDINGS_FORMS.has(provider);

  it.each(of('embeddings', 'request', has))('encodes the embeddings request %s', (_title, vector) => {
    const form = EMBEDDINGS_FORMS.get(vector.to);
    if (form === undefined) throw new Error(`No form ${vector.to}`);
    const faults = requestFaults(
      vector,
      () => translateEmbeddings(form, vector.input, targetFor(vector), 'strict').calls,
    );
    expect(faults).toEqual([]);
  });

  it.each(of('embeddings', 'response', has))('decodes the embeddings response %s', (_title, vector) => {
    const form = EMBEDDINGS_FORMS.get(vector.from);
    if (form === undefined) throw new Error(`No form ${vector.from}`);
    const translated = translateEmbeddings(form, vector.request ?? {}, targetFor(vector), 'strict');
    expect(mismatches(vector.expect['body'], translated.response([vector.input]))).toEqual([]);
  });
});

describe('dialect vectors: images', () => {
  const has = (provider: string): boolean => IMAGES_FORMS.has(provider);
  const translated = (
    form: string,
    vector: Vector,
    request: JsonObject,
  ): ReturnType<typeof translateImages> => {
    const found = IMAGES_FORMS.get(form);
    if (found === undefined) throw new Error(`No form ${form}`);
    return translateImages(found, request, {
      target: targetFor(vector),
      loss: 'strict',
      createdAt: 1_700_000_000,
    });
  };

  it.each(of('images', 'request', has))('encodes the images request %s', (_title, vector) => {
    expect(requestFaults(vector, () => translated(vector.to, vector, vector.input).calls)).toEqual([]);
  });

  it.each(of('images', 'response', has))('decodes the images response %s', (_title, vector) => {
    const outcome = translated(vector.from, vector, vector.request ?? { prompt: 'p' }).response([
      vector.input,
    ]);
    expect(mismatches(vector.expect['body'], 'body' in outcome ? outcome.body : outcome.fault)).toEqual([]);
  });
});

describe('dialect vectors: rerank', () => {
  const has = (provider: string): boolean => RERANK_FORMS.has(provider);
  const translated = (
    form: string,
    vector: Vector,
    request: JsonObject,
  ): ReturnType<typeof translateRerank> => {
    const found = RERANK_FORMS.get(form);
    if (found === undefined) throw new Error(`No form ${form}`);
    return translateRerank(found, request, { target: targetFor(vector), loss: 'strict', requestId: 'req_1' });
  };

  it.each(of('rerank', 'request', has))('encodes the rerank request %s', (_title, vector) => {
    expect(requestFaults(vector, () => [translated(vector.to, vector, vector.input).call])).toEqual([]);
  });

  it.each(of('rerank', 'response', has))('decodes the rerank response %s', (_title, vector) => {
    const request = vector.request ?? { query: 'q', documents: ['a', 'b', 'c'] };
    const body = translated(vector.from, vector, request).response(vector.input);
    expect(mismatches(vector.expect['body'], body)).toEqual([]);
  });
});

describe('dialect vectors: token counts', () => {
  const exist = (provider: string, client: string): boolean =>
    PROVIDER_CODECS.get(provider)?.tokenCounter !== undefined &&
    CLIENT_CODECS.get(client)?.tokenCounter !== undefined;

  function countFaults(vector: Vector): string[] {
    const client = CLIENT_CODECS.get(vector.from)?.tokenCounter;
    const provider = PROVIDER_CODECS.get(vector.to)?.tokenCounter;
    if (client === undefined || provider === undefined) throw new Error('A side is missing.');
    const target = targetFor(vector);
    return requestFaults(vector, () => {
      const losses = new LossLedger('strict', target);
      const call = provider.encodeCall(
        client.decodeCall(vector.input, { model: target.model }),
        target,
        losses,
      );
      losses.check();
      return [call];
    });
  }

  it('encode the requests of dialects with a token counter', () => {
    for (const [title, vector] of of('count_tokens', 'request', exist))
      expect([title, countFaults(vector)]).toEqual([title, []]);
  });

  it('decode the responses of dialects with a token counter', () => {
    for (const [title, vector] of of('count_tokens', 'response', exist)) {
      const count = PROVIDER_CODECS.get(vector.from)?.tokenCounter?.decodeResponse(vector.input);
      const body =
        count === undefined ? {} : CLIENT_CODECS.get(vector.to)?.tokenCounter?.encodeResponse(count);
      expect([title, mismatches(vector.expect['body'], body)]).toEqual([title, []]);
    }
  });
});
