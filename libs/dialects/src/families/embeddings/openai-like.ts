import type { JsonObject } from '../../call';
import { asArray, asNumber, asObject, optional } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import type { FamilyFacts } from '../fan-out';
import type { Embeddings, EmbeddingsForm, InputType } from './embeddings';
import { vectorOf } from './vectors';

/** How a provider differs from OpenAI's embeddings. */
interface Spelling {
  readonly inputsMax: number;
  /** Member that sets the length of the vectors. */
  readonly dimensions: string;
  /**
   * Member that names the purpose of the vectors, and the provider's names of the purposes; absent
   * when there is none.
   */
  readonly inputType?: {
    readonly member: string;
    readonly words: Readonly<Partial<Record<InputType, string>>>;
    /** Type that is sent when the client gives none. */
    readonly fallback?: InputType;
  };
}

/**
 * Returns the form of a provider whose requests are close to OpenAI's. The provider returns floats;
 * the gateway converts them to base64.
 */
function formOf({ inputsMax, dimensions: length, inputType }: Spelling): EmbeddingsForm {
  return {
    takesMore: true,
    ...(inputType === undefined ? {} : { words: inputType.words }),
    inputsMax: () => inputsMax,
    encodeCall: (call, inputs, facts) => ({
      path: '/embeddings',
      body: {
        ...call.more,
        model: facts.target.model,
        input: inputs,
        ...optional(length, call.dimensions),
        ...typeMember(inputType, call.inputType, facts),
      },
    }),
    decodeResponse,
  };
}

function typeMember(
  spelling: Spelling['inputType'],
  given: InputType | undefined,
  { losses }: FamilyFacts,
): JsonObject {
  const wanted = given ?? spelling?.fallback;
  if (wanted === undefined) return {};
  const word = spelling?.words[wanted];
  if (spelling === undefined || word === undefined) {
    losses.note('input_type');
    return {};
  }
  if (given === undefined) losses.note('input_type', 'generated', word);
  return { [spelling.member]: word };
}

/** Reads OpenAI's response, whose items may be in any order. */
function decodeResponse(body: JsonObject): Embeddings {
  const items = asArray(body['data']);
  if (items === null) throw answerInvalid('The response has no embeddings.');
  const usage = asObject(body['usage']);
  const tokens = asNumber(usage?.['prompt_tokens']) ?? asNumber(usage?.['total_tokens']);
  return {
    vectors: items
      .map((item, position) => {
        const { index, embedding } = asObject(item) ?? {};
        return { place: asNumber(index) ?? position, vector: vectorOf(embedding) };
      })
      .sort((one, other) => one.place - other.place)
      .map(({ vector }) => vector),
    ...optional('tokens', tokens ?? undefined),
  };
}

export const voyageEmbeddings = formOf({
  inputsMax: 1_000,
  dimensions: 'output_dimension',
  inputType: { member: 'input_type', words: { search_document: 'document', search_query: 'query' } },
});

export const jinaEmbeddings = formOf({
  inputsMax: 2_048,
  dimensions: 'dimensions',
  inputType: {
    member: 'task',
    words: {
      search_document: 'retrieval.passage',
      search_query: 'retrieval.query',
      classification: 'classification',
      clustering: 'separation',
    },
  },
});

export const mistralEmbeddings = formOf({ inputsMax: 2_048, dimensions: 'output_dimension' });

/** NVIDIA NIM, whose retrieval models require the type. */
export const nvidiaEmbeddings = formOf({
  inputsMax: 2_048,
  dimensions: 'dimensions',
  inputType: {
    member: 'input_type',
    words: { search_document: 'passage', search_query: 'query' },
    fallback: 'search_document',
  },
});
