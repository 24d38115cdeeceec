import type { JsonObject } from '../call';
import type { PlainModelPart, PlainResponse } from './generators/plain';
import { PROVIDER_RESPONSES } from './generators/provider-responses';
import { named, times, type Growing } from './hostile-calls';

/** Provider responses in which one list or one text grows with a count. */

export const BASE: PlainResponse = {
  id: 'r1',
  parts: [{ kind: 'text', text: 'a' }],
  finish: 'stop',
  usage: { input: 3, cacheRead: 1, output: 2, reasoning: 1 },
};
const call = (index: number): PlainModelPart => ({
  kind: 'call',
  id: `call_${String(index)}`,
  name: 'f',
  args: { a: 1 },
});

export const GROWN: Readonly<Record<string, (count: number) => readonly PlainModelPart[]>> = {
  texts: (count) => times(count, () => ({ kind: 'text', text: 'a' })),
  'texts and reasoning': (count) =>
    times(count, (index) => ({ kind: index % 2 === 0 ? 'text' : 'reasoning', text: 'a' })),
  calls: (count) => times(count, call),
  'a text': (count) => [{ kind: 'text', text: 'a'.repeat(count) }],
  reasoning: (count) => [{ kind: 'reasoning', text: 'a'.repeat(count) }],
  arguments: (count) => [{ kind: 'call', id: 'c', name: 'f', args: { a: times(count, () => 0) } }],
};

export const citation = {
  type: 'char_location',
  cited_text: 'a',
  document_index: 0,
  start_char_index: 0,
  end_char_index: 1,
};
export const annotation = {
  type: 'url_citation',
  url: 'https://a',
  title: 'A',
  start_index: 0,
  end_index: 1,
};
const logprob = { token: 'a', logprob: -1, bytes: [97], top_logprobs: [] };

export const grounding = (count: number): JsonObject => ({
  groundingChunks: times(count, () => ({ web: { uri: 'https://a', title: 'A' } })),
  groundingSupports: times(count, (index) => ({
    segment: { startIndex: 0, endIndex: 1, text: 'a' },
    groundingChunkIndices: [index],
  })),
});

/** Members that only one dialect has. */
const OWN: Readonly<Record<string, Readonly<Record<string, Growing>>>> = {
  'openai-chat': {
    candidates: (count) => ({
      choices: times(count, (index) => ({ index, message: { content: 'a' }, finish_reason: 'stop' })),
    }),
    annotations: (count) => ({
      choices: [
        { message: { content: 'a', annotations: times(count, () => annotation) }, finish_reason: 'stop' },
      ],
    }),
    'log probabilities': (count) => ({
      choices: [
        {
          message: { content: 'a' },
          logprobs: { content: times(count, () => logprob) },
          finish_reason: 'stop',
        },
      ],
    }),
  },
  mistral: {
    references: (count) => ({
      choices: [
        {
          message: {
            content: [
              { type: 'text', text: 'a' },
              ...times(count, () => ({ type: 'reference', reference_ids: [1] })),
            ],
          },
          finish_reason: 'stop',
        },
      ],
    }),
  },
  'anthropic-messages': {
    citations: (count) => ({
      content: [{ type: 'text', text: 'a', citations: times(count, () => citation) }],
    }),
    'unknown blocks': (count) => ({ content: times(count, () => ({ type: 'new' })) }),
    'counts of usage': (count) => ({ usage: { input_tokens: 1, output_tokens: 1, ...named(count, 1) } }),
  },
  gemini: {
    'citations of texts': (count) => ({
      candidates: [
        {
          content: { parts: times(count, () => ({ text: 'aé' })) },
          groundingMetadata: grounding(count),
          finishReason: 'STOP',
        },
      ],
    }),
    'one candidate many times': (count) => ({
      candidates: times(count, () => ({
        index: 0,
        content: { parts: [{ text: 'a' }] },
        groundingMetadata: grounding(1),
        logprobsResult: { chosenCandidates: [{ token: 'a', logProbability: -1 }] },
        finishReason: 'STOP',
      })),
    }),
    'details of usage': (count) => ({
      usageMetadata: {
        promptTokenCount: 1,
        promptTokensDetails: times(count, () => ({ modality: 'TEXT', tokenCount: 1 })),
      },
    }),
  },
  'bedrock-converse': {
    'details of the cache': (count) => ({
      usage: {
        inputTokens: 1,
        outputTokens: 1,
        cacheDetails: times(count, () => ({ ttl: '1h', inputTokens: 1 })),
      },
    }),
  },
  'cohere-v2': {
    citations: (count) => ({
      message: {
        content: times(count, () => ({ type: 'text', text: 'a' })),
        citations: times(count, (index) => ({
          start: 0,
          end: 1,
          text: 'a',
          content_index: index,
          sources: [{ type: 'document', id: 'd', document: { title: 'A', url: 'https://a' } }],
        })),
      },
    }),
  },
  'openai-responses': {
    'unknown items': (count) => ({ output: times(count, () => ({ type: 'new' })) }),
    annotations: (count) => ({
      output: [
        {
          type: 'message',
          content: [{ type: 'output_text', text: 'a', annotations: times(count, () => annotation) }],
        },
      ],
    }),
    'texts of reasoning': (count) => ({
      output: [{ type: 'reasoning', summary: times(count, () => ({ type: 'summary_text', text: 'a' })) }],
    }),
  },
};

/** Returns the growing responses of a provider's dialect by name. */
export function hostileResponses(dialect: string): [string, Growing][] {
  const write = PROVIDER_RESPONSES[dialect];
  if (write === undefined) throw new Error(`No responses of ${dialect}`);
  return [
    ...Object.entries(GROWN).map(([name, make]): [string, Growing] => [
      name,
      (count) => write({ ...BASE, parts: make(count) }),
    ]),
    ['unknown members', (count) => ({ ...write(BASE), ...named(count, 1) })],
    ...Object.entries(OWN[dialect] ?? {}).map(([name, make]): [string, Growing] => [
      name,
      (count) => ({ ...write(BASE), ...make(count) }),
    ]),
  ];
}
