import type { JsonObject, ModelCall, Part, Seal, ToolResultPart, Turn } from '../call';
import { pathOf } from '../call';
import { invalid, type LossLedger } from '../losses';
import type { Target } from '../target';
import { systemTexts } from '../values/merged-turns';
import { ArgumentsReader } from '../values/tool-arguments';
import { calledNames } from '../values/tool-pairs';
import { encodePart, encodeResult, type PartFacts } from './encode-parts';
import { SKIP_SIGNATURE } from './seals';

/** A content that is built from one or more turns. */
interface Content {
  readonly role: 'user' | 'model';
  readonly parts: JsonObject[];
  readonly results: ToolResultPart[];
  /** Calls of a model content: their ids, and the paths for errors. */
  readonly calls: { readonly id: string; readonly path: string; readonly encoded: JsonObject }[];
  readonly own: JsonObject;
}

export interface EncodedTurns {
  readonly contents: readonly JsonObject[];
  readonly systemInstruction?: JsonObject;
}

/** Encodes the turns and the system text. */
export function encodeTurns(call: ModelCall, target: Target, losses: LossLedger): EncodedTurns {
  const facts: PartFacts = {
    call,
    target,
    losses,
    args: new ArgumentsReader(),
    names: calledNames(call.turns),
  };
  const contents = contentsOf(call, facts);
  const encoded = contents.map((content, index) =>
    finished(content, contents[index - 1], contents[index + 1], facts),
  );
  if (target.capabilities.reasoning === 'level') replaceLostSignatures(contents, facts);
  // If content was refused, the refusal is more informative.
  if (!losses.isRefused && !contents.some(({ role }) => role === 'user')) {
    throw invalid(
      pathOf(call, 'turns'),
      `${pathOf(call, 'turns')} must have a user message that is not empty.`,
    );
  }
  return { contents: encoded, ...systemInstruction(call, losses) };
}

/** Merges consecutive turns of one role. Leaves out empty turns and system turns. */
function contentsOf(call: ModelCall, facts: PartFacts): Content[] {
  const contents: Content[] = [];
  for (const turn of call.turns) {
    if (turn.role === 'system') continue;
    if (turn.name !== undefined) facts.losses.note(`${turn.at ?? pathOf(call, 'turns')}.name`);
    refusePrefill(turn, facts);
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const last = contents.at(-1);
    const content: Content =
      last?.role === role ? last : { role, parts: [], results: [], calls: [], own: turn.x?.gemini ?? {} };
    addParts(content, turn.parts, facts);
    if (content !== last && content.parts.length + content.results.length > 0) contents.push(content);
  }
  return contents;
}

/**
 * Refuses a prefill, unless the client speaks Gemini's dialect, in which the model may continue a
 * content.
 */
function refusePrefill(turn: Turn, { call, losses }: PartFacts): void {
  if (turn.prefill !== true || call.from === 'gemini') return;
  losses.refuse(
    turn.at ?? pathOf(call, 'turns'),
    'Gemini cannot continue an assistant message; end with a user message.',
  );
}

function addParts(content: Content, parts: readonly Part[], facts: PartFacts): void {
  let carried: Seal | undefined;
  for (const part of parts) {
    if (part.kind === 'tool_result') {
      content.results.push(part);
      continue;
    }
    if (part.kind === 'reasoning') {
      carried = addReasoning(content, part, carried);
      continue;
    }
    const encoded = encodePart(part, facts);
    if (encoded === null) continue;
    const takes = carried !== undefined && encoded['thoughtSignature'] === undefined;
    const signed = takes ? { ...encoded, thoughtSignature: carried?.value } : encoded;
    if (takes) carried = undefined;
    content.parts.push(signed);
    if (part.kind === 'tool_call') {
      content.calls.push({ id: part.id, path: part.at ?? pathOf(facts.call, 'turns'), encoded: signed });
    }
  }
  if (carried !== undefined) content.parts.push({ text: '', thoughtSignature: carried.value });
}

/**
 * Adds reasoning that Google has signed. A signature without text belongs to the part that follows.
 */
function addReasoning(
  content: Content,
  part: Extract<Part, { kind: 'reasoning' }>,
  carried: Seal | undefined,
): Seal | undefined {
  const { seal } = part;
  const own = part.x?.gemini;
  if (seal?.by === 'google' && part.text === '' && own === undefined) return seal;
  if (seal?.by === 'google' || (seal === undefined && own !== undefined)) {
    content.parts.push({
      text: part.text,
      thought: true,
      ...(seal === undefined ? {} : { thoughtSignature: seal.value }),
      ...own,
    });
  }
  return carried;
}

/**
 * Puts the results first, in the order of their calls. Throws `validation_failed` for a call
 * without a result.
 */
function finished(
  content: Content,
  before: Content | undefined,
  after: Content | undefined,
  facts: PartFacts,
): JsonObject {
  if (content.role === 'model') {
    if (after !== undefined) checkAnswered(content, after);
    return { role: 'model', parts: content.parts, ...content.own };
  }
  const order = new Map((before?.calls ?? []).map(({ id }, index) => [id, index]));
  const results = content.results
    .map((result, index) => ({ result, place: order.get(result.callId) ?? order.size + index }))
    .sort((one, other) => one.place - other.place)
    .map(({ result }) => encodeResult(result, facts));
  const parts = [
    ...results.map(({ part }) => part),
    ...results.flatMap(({ moved }) => moved),
    ...content.parts,
  ];
  return { role: 'user', parts, ...content.own };
}

function checkAnswered(content: Content, after: Content): void {
  const responded = new Set(after.results.map(({ callId }) => callId));
  for (const { id, path } of content.calls) {
    if (!responded.has(id))
      throw invalid(path, 'The call has no result in the message that follows; send one for each call.');
  }
}

/**
 * Replaces missing signatures of first calls in the current exchange, because Gemini 3 refuses
 * calls without them.
 */
function replaceLostSignatures(contents: readonly Content[], { losses }: PartFacts): void {
  const start = contents.findLastIndex(({ role, parts }) => role === 'user' && parts.length > 0);
  for (const { calls } of contents.slice(start + 1)) {
    const [first] = calls;
    if (first === undefined || first.encoded['thoughtSignature'] !== undefined) continue;
    first.encoded['thoughtSignature'] = SKIP_SIGNATURE;
    losses.note(first.path, 'generated', SKIP_SIGNATURE);
  }
}

function systemInstruction(call: ModelCall, losses: LossLedger): { systemInstruction?: JsonObject } {
  const parts: JsonObject[] = [];
  for (const { text, cache, at } of call.system) {
    if (cache !== undefined) losses.note(`${at ?? pathOf(call, 'system')}.cache_control`);
    if (text !== '') parts.push({ text });
  }
  for (const turn of call.turns) {
    if (turn.role !== 'system') continue;
    losses.note(turn.at ?? pathOf(call, 'turns'), 'moved');
    for (const { text } of systemTexts(turn, call, losses)) if (text !== '') parts.push({ text });
  }
  return parts.length === 0 ? {} : { systemInstruction: { parts } };
}
