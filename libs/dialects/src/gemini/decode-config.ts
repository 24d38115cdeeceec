import type { Effort, JsonObject, ModelCall, OutputFormat, Reasoning } from '../call';
import { invalid } from '../losses';
import { jsonSchemaOf } from '../schema/json-schema';
import { optional } from '../values/json';
import { Members, ownMembers } from './members';

/** Members of `generationConfig` with a place in the neutral form. */
export const CONFIG: ReadonlySet<string> = new Set([
  'candidateCount',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'frequencyPenalty',
  'presencePenalty',
  'seed',
  'stopSequences',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'thinkingConfig',
]);

/** Decodes `generationConfig`. */
export function decodeConfig(config: Members): Partial<ModelCall> {
  const stop = config.strings('stopSequences');
  return {
    ...optional('n', config.integer('candidateCount')),
    ...optional('maxTokens', config.integer('maxOutputTokens')),
    ...optional('temperature', config.number('temperature')),
    ...optional('topP', config.number('topP')),
    ...optional('topK', config.number('topK')),
    ...optional('frequencyPenalty', config.number('frequencyPenalty')),
    ...optional('presencePenalty', config.number('presencePenalty')),
    ...optional('seed', config.integer('seed')),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    ...optional(
      'logprobs',
      config.boolean('responseLogprobs') === true ? { top: config.integer('logprobs') ?? 0 } : undefined,
    ),
    ...optional('output', outputOf(config)),
    ...optional('modalities', modalitiesOf(config)),
    ...optional('reasoning', reasoningOf(config.members('thinkingConfig'))),
    ...optional('audioOut', audioOf(config)),
  };
}

/** Returns the members of `generationConfig` that have no place, by their paths. */
export function configRest(config: Members): JsonObject {
  const known =
    config.has('speechConfig') && audioOf(config) !== undefined
      ? new Set([...CONFIG, 'speechConfig'])
      : CONFIG;
  return config.rest(known, `${config.path}.`);
}

function outputOf(config: Members): OutputFormat | undefined {
  const mime = config.string('responseMimeType');
  const openApi = config.object('responseSchema');
  const schema =
    config.object('responseJsonSchema') ??
    (openApi === undefined ? undefined : jsonSchemaOf(openApi, config.at('responseSchema')));
  if (mime === 'text/x.enum') return enumOutput(config, schema, openApi);
  if (schema !== undefined)
    return { kind: 'schema', schema, ...ownMembers(optional('responseSchema', openApi)) };
  if (mime === undefined) return undefined;
  if (mime === 'application/json') return { kind: 'json' };
  if (mime === 'text/plain') return { kind: 'text', ...ownMembers({ responseMimeType: mime }) };
  throw invalid(
    config.at('responseMimeType'),
    `${config.at('responseMimeType')} must be text/plain, application/json or text/x.enum.`,
  );
}

/**
 * Decodes an output that is one of a list of texts without quotes. It becomes a grammar, which few
 * dialects have.
 */
function enumOutput(
  config: Members,
  schema: JsonObject | undefined,
  openApi: JsonObject | undefined,
): OutputFormat {
  const values = Array.isArray(schema?.['enum']) ? (schema['enum'] as unknown[]) : [];
  if (values.length === 0) {
    throw invalid(config.at('responseMimeType'), 'text/x.enum needs a schema with enum.');
  }
  return {
    kind: 'grammar',
    grammar: `root ::= ${values.map((value) => JSON.stringify(String(value))).join(' | ')}`,
    ...ownMembers({
      responseMimeType: 'text/x.enum',
      ...(openApi === undefined ? { responseJsonSchema: schema } : { responseSchema: openApi }),
    }),
  };
}

function modalitiesOf(config: Members): ModelCall['modalities'] {
  return config.strings('responseModalities')?.flatMap((name) => {
    switch (name.toUpperCase()) {
      case 'TEXT':
        return ['text'] as const;
      case 'IMAGE':
        return ['image'] as const;
      case 'AUDIO':
        return ['audio'] as const;
      case 'MODALITY_UNSPECIFIED':
        return [];
      default:
        throw invalid(
          config.at('responseModalities'),
          `${config.at('responseModalities')} may have TEXT, IMAGE and AUDIO.`,
        );
    }
  });
}

const LEVELS: Readonly<Record<string, Effort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
};

/**
 * Decodes reasoning. An explicit budget also gets the effort of Google's compatibility table.
 * Thoughts are hidden unless requested.
 */
function reasoningOf(thinking: Members | undefined): Reasoning | undefined {
  if (thinking === undefined) return undefined;
  const budget = thinking.integer('thinkingBudget');
  const level = thinking.string('thinkingLevel')?.toUpperCase();
  if (level !== undefined && level !== 'THINKING_LEVEL_UNSPECIFIED' && !Object.hasOwn(LEVELS, level)) {
    throw invalid(
      thinking.at('thinkingLevel'),
      `${thinking.at('thinkingLevel')} must be MINIMAL, LOW, MEDIUM or HIGH.`,
    );
  }
  const effort = level === undefined ? budgetEffort(budget) : LEVELS[level];
  return {
    summary: thinking.boolean('includeThoughts') === true ? 'auto' : 'off',
    ...optional('effort', effort),
    ...optional('budget', budget),
    ...(budget === -1 ? { adaptive: true } : {}),
  };
}

function budgetEffort(budget: number | undefined): Effort | undefined {
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return 'none';
  if (budget <= 1_024) return 'low';
  return budget <= 8_192 ? 'medium' : 'high';
}

/** Reads `speechConfig` when it only names a voice. Gemini speaks 16-bit PCM. */
function audioOf(config: Members): ModelCall['audioOut'] {
  const speech = config.members('speechConfig');
  const voice = speech?.members('voiceConfig')?.members('prebuiltVoiceConfig')?.string('voiceName');
  const isAlone = speech !== undefined && Object.keys(speech.body).length === 1;
  return voice === undefined || !isAlone ? undefined : { voice, format: 'pcm16' };
}

/** Reads `safetySettings`. */
export function safetyOf(body: Members): ModelCall['safety'] {
  const settings = body.list('safetySettings');
  if (settings.length === 0) return undefined;
  return settings.map((setting) => ({
    category: setting.string('category') ?? '',
    threshold: setting.string('threshold') ?? '',
  }));
}

/** Reads `labels`, which only Vertex has. */
export function labelsOf(body: Members): ModelCall['metadata'] {
  const labels = body.object('labels');
  if (labels === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => {
      if (typeof value !== 'string')
        throw invalid(`${body.at('labels')}.${name}`, `${body.at('labels')}.${name} must be a string.`);
      return [name, value];
    }),
  );
}
