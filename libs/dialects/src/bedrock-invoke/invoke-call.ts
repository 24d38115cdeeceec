import { modelPath } from '../bedrock-converse/model-path';
import { modelOf } from '../bedrock-converse/models';
import type { JsonObject } from '../call';
import type { ProviderCall } from '../codec';
import { invalid, type LossLedger } from '../losses';
import type { Target } from '../target';
import { asArray, asObject, asString, isAbsent, writtenJson } from '../values/json';
import { betaFlags, FLAGS_MAX, splitFlags } from './betas';
import { encodeToolEdits } from './tool-edits';

/** Version of Anthropic's API on Bedrock; it is in the body instead of a header. */
const VERSION = 'bedrock-2023-05-31';
/** Flag without which Claude Opus 4.5 on Bedrock refuses an effort. */
const EFFORT_BETA = 'effort-2025-11-24';

export interface InvokeFacts {
  /** A Claude model on Bedrock. */
  readonly target: Target;
  readonly losses: LossLedger;
  /** Value of the client's `anthropic-beta` header. */
  readonly betas?: string;
}

/** Changes to a Messages body. Everything else is sent as the client wrote it. */
export interface BodyEdits {
  /** Top-level members to leave out. */
  readonly remove: readonly string[];
  /** Top-level members to add or to replace. */
  readonly set: JsonObject;
}

/**
 * Returns the edits that turn a Messages body into one of InvokeModel. Records members that Bedrock
 * does not accept in `losses`; the caller calls `losses.check()`.
 */
export function invokeEdits(body: JsonObject, facts: InvokeFacts): BodyEdits {
  const { target, losses } = facts;
  const model = modelOf(target);
  refuseUnsupported(body, model.textFormat, losses);
  const tools = encodeToolEdits(body['tools'], model.textFormat, losses);
  const marked = withMarkedEnd(body, losses);
  const flags = flagsOf(body, tools?.flags ?? [], facts);
  const version = asString(body['anthropic_version']) ?? '';
  return {
    remove: ['model', 'stream', ...hints(body, losses), ...(marked === null ? [] : ['cache_control'])].filter(
      (name) => name in body,
    ),
    set: {
      anthropic_version: version.startsWith('bedrock-') ? version : VERSION,
      ...(flags.length === 0 ? {} : { anthropic_beta: flags }),
      ...(tools === null ? {} : { tools: tools.tools }),
      ...(marked === null ? {} : { messages: marked }),
    },
  };
}

/**
 * Returns the beta flags for the body: of the header, of the body itself, and those that its
 * members need.
 */
function flagsOf(
  body: JsonObject,
  needed: readonly string[],
  { target, losses, betas }: InvokeFacts,
): string[] {
  const given = (asArray(body['anthropic_beta']) ?? []).filter((flag) => typeof flag === 'string');
  const effort = asObject(body['output_config'])?.['effort'];
  const needsEffort = !isAbsent(effort) && modelOf(target).id.startsWith('anthropic.claude-opus-4-5');
  const wanted = [...splitFlags(betas), ...given.slice(0, FLAGS_MAX), ...needed];
  return betaFlags(target, needsEffort ? [...wanted, EFFORT_BETA] : wanted, losses);
}

/** Applies edits to a parsed body; the order of its members is kept. */
export function editedBody(body: JsonObject, { remove, set }: BodyEdits): JsonObject {
  const left = new Set(remove);
  const edited: JsonObject = {};
  for (const name in body)
    if (!left.has(name) && name !== '__proto__')
      edited[name] = Object.hasOwn(set, name) ? set[name] : body[name];
  return { ...edited, ...set };
}

/** Turns a Messages body into an InvokeModel request. */
export function invokeCall(body: JsonObject, facts: InvokeFacts): ProviderCall {
  const operation = body['stream'] === true ? 'invoke-with-response-stream' : 'invoke';
  return {
    path: modelPath(facts.target.model, operation, {}, facts.losses),
    body: editedBody(body, invokeEdits(body, facts)),
  };
}

/**
 * Turns a `count_tokens` body into a CountTokens request, which contains a body for InvokeModel.
 */
export function invokeTokensCall(body: JsonObject, facts: InvokeFacts): ProviderCall {
  const invoked = editedBody(body, invokeEdits(body, facts));
  const whole = isAbsent(invoked['max_tokens']) ? { ...invoked, max_tokens: 1 } : invoked;
  const text = writtenJson(whole);
  if (text === null) throw invalid('messages', 'The messages are nested too deep.');
  const bytes = Buffer.from(text, 'utf8').toString('base64');
  return {
    path: modelPath(modelOf(facts.target).id, 'count-tokens', {}, facts.losses),
    body: { input: { invokeModel: { body: bytes } } },
  };
}

function refuseUnsupported(body: JsonObject, hasSchemas: boolean, losses: LossLedger): void {
  for (const name of ['container', 'mcp_servers']) {
    if (!isAbsent(body[name])) losses.refuse(name, `Claude on Bedrock has no ${name}; leave it out.`);
  }
  if (hasSchemas) return;
  const path = isAbsent(body['output_format']) ? 'output_config.format' : 'output_format';
  const format = isAbsent(body['output_format'])
    ? asObject(body['output_config'])?.['format']
    : body['output_format'];
  if (!isAbsent(format)) losses.refuse(path, 'The model takes no schema of the output on Bedrock.');
}

/** Hints that Bedrock refuses, and that are therefore left out. */
const HINTS = ['service_tier', 'speed', 'inference_geo'];

function hints(body: JsonObject, losses: LossLedger): string[] {
  const found = HINTS.filter((name) => name in body);
  for (const name of found) if (!isNeutral(body[name])) losses.note(name);
  return found;
}

const isNeutral = (value: unknown): boolean => isAbsent(value) || value === 'auto' || value === 'standard';

/**
 * Returns the messages with the cache mark of the whole request moved to the last block, because
 * Bedrock has no such mark. Returns null when there is no such mark, or no block that could carry
 * it.
 */
function withMarkedEnd(body: JsonObject, losses: LossLedger): readonly unknown[] | null {
  const mark = asObject(body['cache_control']);
  const messages = asArray(body['messages']);
  const last = asObject(messages?.at(-1));
  if (mark === null || messages === null || last === null) return null;
  const content = markedContent(last['content'], mark);
  if (content === null) return null;
  losses.note('cache_control', 'moved');
  return [...messages.slice(0, -1), { ...last, content }];
}

function markedContent(content: unknown, mark: JsonObject): readonly unknown[] | null {
  if (typeof content === 'string') return [{ type: 'text', text: content, cache_control: mark }];
  const blocks = asArray(content);
  const last = asObject(blocks?.at(-1));
  if (blocks === null || last === null) return null;
  return [...blocks.slice(0, -1), { cache_control: mark, ...last }];
}
