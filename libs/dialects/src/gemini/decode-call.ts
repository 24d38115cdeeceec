import type { CallPaths, JsonObject, ModelCall, ServiceTier } from '../call';
import type { CallAddress } from '../codec';
import { optional } from '../values/json';
import { configRest, decodeConfig, labelsOf, safetyOf } from './decode-config';
import { decodeTools } from './decode-tools';
import { decodeSystem, decodeTurns } from './decode-turns';
import { Members, ownMembers } from './members';

const BODY: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'cachedContent',
  'generationConfig',
  'labels',
  'serviceTier',
]);
/** The members with a place, if the service tier has none. */
const OTHER_TIER: ReadonlySet<string> = new Set([...BODY].filter((name) => name !== 'serviceTier'));
const TOOL_CONFIG: ReadonlySet<string> = new Set(['functionCallingConfig']);
const TIERS: Readonly<Record<string, ServiceTier>> = {
  unspecified: 'auto',
  standard: 'default',
  flex: 'flex',
  priority: 'priority',
};

/**
 * Decodes a `GenerateContentRequest`. The model and whether the response is streamed are in the
 * address.
 */
export function decodeCall(body: JsonObject, address: CallAddress = {}): ModelCall {
  return decodeRequest(new Members(body, ''), address);
}

/** Decodes a request that may be inside of another body, as in `countTokens`. */
export function decodeRequest(body: Members, address: CallAddress): ModelCall {
  const config = body.members('generationConfig') ?? new Members({}, body.at('generationConfig'));
  const toolConfig = body.members('toolConfig');
  const cached = body.string('cachedContent');
  const tier = tierOf(body);
  const own = {
    ...body.rest(tier === undefined ? OTHER_TIER : BODY),
    ...configRest(config),
    ...toolConfig?.rest(TOOL_CONFIG, `${toolConfig.path}.`),
  };
  return {
    from: 'gemini',
    model: address.model ?? body.string('model') ?? '',
    stream: address.stream ?? false,
    system: decodeSystem(body),
    turns: decodeTurns(body),
    ...decodeTools(body),
    ...decodeConfig(config),
    ...optional('safety', safetyOf(body)),
    ...optional('metadata', labelsOf(body)),
    ...optional('serviceTier', tier),
    ...(cached === undefined ? {} : { cache: { resource: cached } }),
    ...ownMembers(own),
    paths: pathsOf(body, config),
  };
}

function tierOf(body: Members): ServiceTier | undefined {
  const tier = body.string('serviceTier')?.toLowerCase();
  return tier !== undefined && Object.hasOwn(TIERS, tier) ? TIERS[tier] : undefined;
}

/**
 * Returns the name of the member that defines the output: the schema if there is one, unless its
 * values are sent without quotes.
 */
function outputMember(config: Members): string {
  const names = ['responseJsonSchema', 'responseSchema'];
  const isEnum = config.value('responseMimeType') === 'text/x.enum';
  return (isEnum ? undefined : names.find((name) => config.has(name))) ?? 'responseMimeType';
}

/** Returns the paths of the members in the client's spelling. */
function pathsOf(body: Members, config: Members): CallPaths {
  return {
    model: 'model',
    n: config.at('candidateCount'),
    system: body.at('systemInstruction'),
    turns: body.at('contents'),
    tools: body.at('tools'),
    toolChoice: body.at('toolConfig'),
    output: config.at(outputMember(config)),
    modalities: config.at('responseModalities'),
    audioOut: config.at('speechConfig'),
    reasoning: config.at('thinkingConfig'),
    maxTokens: config.at('maxOutputTokens'),
    stop: config.at('stopSequences'),
    temperature: config.at('temperature'),
    topP: config.at('topP'),
    topK: config.at('topK'),
    frequencyPenalty: config.at('frequencyPenalty'),
    presencePenalty: config.at('presencePenalty'),
    seed: config.at('seed'),
    logprobs: config.at('responseLogprobs'),
    cache: body.at('cachedContent'),
    serviceTier: body.at('serviceTier'),
    metadata: body.at('labels'),
    safety: body.at('safetySettings'),
    parts: PARTS,
  };
}

/** Paths of the members of a part. */
const PARTS: NonNullable<CallPaths['parts']> = {
  arguments: 'functionCall.args',
  callId: 'functionResponse.name',
  name: 'functionCall.name',
  error: 'functionResponse.response',
  detail: 'mediaResolution',
};
