import type { Part, Seal, SystemPart, Turn } from '../call';
import { invalid } from '../losses';
import { ownMembers, Members } from './members';
import { CallIds } from './call-ids';
import { decodePart } from './decode-parts';

/**
 * Maximum number of contents and parts of a request, which are decoded in one turn of the event
 * loop.
 */
const ENTRIES_MAX = 50_000;
const CONTENT: ReadonlySet<string> = new Set(['role', 'parts']);

/** Decodes `contents`. */
export function decodeTurns(body: Members): Turn[] {
  const contents = body.list('contents');
  if (contents.length === 0)
    throw invalid(body.at('contents'), 'contents is required: a list of at least one content.');
  const ids = new CallIds();
  let entries = contents.length;
  const turns = contents.map((content, turn): Turn => {
    const given = content.list('parts');
    entries += given.length;
    if (entries > ENTRIES_MAX) {
      throw invalid(
        body.at('contents'),
        `At most ${String(ENTRIES_MAX)} contents and parts can be translated; send fewer.`,
      );
    }
    return {
      role: roleOf(content),
      parts: given.map((part, index) => decodePart(part, { ids, turn, part: index })),
      at: content.path,
      ...ownMembers(content.rest(CONTENT)),
    };
  });
  return withPrefill(merged(turns));
}

function roleOf(content: Members): Turn['role'] {
  const role = content.string('role') ?? 'user';
  switch (role) {
    case 'model':
      return 'assistant';
    case 'user':
    case 'function':
    case '':
      return 'user';
    default:
      throw invalid(content.at('role'), `${content.at('role')} must be user or model.`);
  }
}

/**
 * Merges consecutive model contents into one turn, because clients may store each event of a stream
 * as a separate content.
 */
function merged(turns: readonly Turn[]): Turn[] {
  const result: { turn: Turn; parts: Part[] }[] = [];
  for (const turn of turns) {
    const last = result.at(-1);
    const isMore = last?.turn.role === 'assistant' && turn.role === 'assistant' && turn.x === undefined;
    if (isMore) last?.parts.push(...turn.parts);
    else result.push({ turn, parts: [...turn.parts] });
  }
  return result.map(({ turn, parts }) => ({ ...turn, parts: joinedThoughts(parts) }));
}

/** Returns whether a seal covers the text of the pieces before it. */
const endsThought = (seal: Seal | undefined): boolean =>
  seal !== undefined && seal.by !== 'google' && seal.redacted !== true;

/**
 * Joins the pieces of a streamed thought. A seal of another maker follows the last piece and covers
 * the whole text.
 */
function joinedThoughts(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    if (part.kind !== 'reasoning' || !endsThought(part.seal)) {
      result.push(part);
      continue;
    }
    let { text } = part;
    for (
      let last = result.at(-1);
      last?.kind === 'reasoning' && last.seal === undefined;
      last = result.at(-1)
    ) {
      text = last.text + text;
      result.pop();
    }
    result.push({ ...part, text });
  }
  return result;
}

/** Marks a last model content without calls as the beginning of the response. */
function withPrefill(turns: readonly Turn[]): Turn[] {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || last.parts.some(({ kind }) => kind === 'tool_call')) return [...turns];
  return [...turns.slice(0, -1), { ...last, prefill: true }];
}

/** Decodes `systemInstruction`, which may contain only text. */
export function decodeSystem(body: Members): SystemPart[] {
  const instruction = body.members('systemInstruction');
  if (instruction === undefined) return [];
  return instruction.list('parts').map((part) => {
    const decoded: Part = decodePart(part, { ids: new CallIds(), turn: 0, part: 0 });
    if (decoded.kind !== 'text') throw invalid(part.path, `${part.path} must have text.`);
    return { role: 'system', text: decoded.text, at: part.path };
  });
}
