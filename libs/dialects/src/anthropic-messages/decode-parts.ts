import type { JsonObject, MediaPart, Part, ReasoningPart, Source } from '../call';
import { invalid } from '../losses';
import { mediaType } from '../values/data-url';
import { asString, isAbsent, writtenJson, membersBesides, optional, read, required } from '../values/json';
import { decodeCacheMark } from './cache-mark';
import { decodeCitations } from './citations';
import { DIALECT, extensions } from './paths';
import { readSignature } from './seals';

/**
 * Maximum nesting of blocks: those of search results and documents in tool results contain no
 * further blocks.
 */
const LEVELS_MAX = 3;

/** Decodes content: a text, or a list of blocks. Absent content has no parts. */
export function decodeBlocks(content: unknown, path: string, level = 1): Part[] {
  if (isAbsent(content)) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content, at: path }];
  if (level > LEVELS_MAX) throw invalid(path, 'Blocks are nested too deep.');
  const blocks = read.objects(content, path) ?? [];
  return blocks.map((block, index) => decodeBlock(block, `${path}.${String(index)}`, level));
}

type BlockDecoder = (block: JsonObject, at: string, level: number) => Part;

const DECODERS: ReadonlyMap<string, BlockDecoder> = new Map<string, BlockDecoder>([
  ['text', decodeText],
  ['image', decodeImage],
  ['document', decodeDocument],
  ['search_result', decodeSearchResult],
  ['tool_use', decodeToolUse],
  ['tool_result', decodeToolResult],
  ['thinking', decodeThinking],
  ['redacted_thinking', decodeRedacted],
]);

export function decodeBlock(block: JsonObject, at: string, level = 1): Part {
  const type = required(read.string(block['type'], `${at}.type`), `${at}.type`, 'the type of the block');
  const decode = DECODERS.get(type);
  if (decode !== undefined) return { ...decode(block, at, level), ...decodeCacheMark(block, `${at}.`) };
  return { ...providerBlock(type, block), at };
}

/**
 * Returns the part for a block of a tool that the provider runs, or of a type that has no place in
 * the neutral form.
 */
export function providerBlock(type: string, data: JsonObject): Part {
  const name = asString(data['name']);
  if (type === 'server_tool_use' && name !== null)
    return { kind: 'hosted_call', tool: name, data, dialect: DIALECT };
  if (type.endsWith(RESULT)) {
    return { kind: 'hosted_result', tool: type.slice(0, -RESULT.length), data, dialect: DIALECT };
  }
  return { kind: 'opaque', dialect: DIALECT, data };
}

const RESULT = '_tool_result';

const text = (block: JsonObject, name: string, at: string): string =>
  required(read.string(block[name], `${at}.${name}`), `${at}.${name}`, 'a string');

const rest = (block: JsonObject, known: ReadonlySet<string>): ReturnType<typeof extensions> =>
  extensions(membersBesides(block, known));

const TEXT: ReadonlySet<string> = new Set(['type', 'text', 'citations', 'cache_control']);

function decodeText(block: JsonObject, at: string): Part {
  return {
    kind: 'text',
    text: text(block, 'text', at),
    ...optional('citations', decodeCitations(block['citations'])),
    ...rest(block, TEXT),
    at,
  };
}

const IMAGE: ReadonlySet<string> = new Set(['type', 'source', 'cache_control']);

function decodeImage(block: JsonObject, at: string): Part {
  return { kind: 'media', media: 'image', ...decodeSource(block, at, LEVELS_MAX), ...rest(block, IMAGE), at };
}

const DOCUMENT: ReadonlySet<string> = new Set([
  'type',
  'source',
  'title',
  'context',
  'citations',
  'cache_control',
]);

function decodeDocument(block: JsonObject, at: string, level: number): Part {
  const citations = read.object(block['citations'], `${at}.citations`);
  const title = read.string(block['title'], `${at}.title`);
  const source = decodeSource(block, at, level);
  return {
    kind: 'media',
    media: 'document',
    ...source,
    ...optional('title', title),
    ...optional('context', read.string(block['context'], `${at}.context`)),
    ...optional('citations', read.boolean(citations?.['enabled'], `${at}.citations.enabled`)),
    ...(source.x === undefined ? rest(block, DOCUMENT) : {}),
    at,
  };
}

type SourceFacts = Pick<MediaPart, 'source' | 'mime' | 'x'>;

function decodeSource(block: JsonObject, at: string, level: number): SourceFacts {
  const path = `${at}.source`;
  const source = required(read.object(block['source'], path), path, 'an object with a type');
  switch (source['type']) {
    case 'base64':
      return {
        mime: mediaType(text(source, 'media_type', path)),
        source: { at: 'base64', data: text(source, 'data', path) },
      };
    case 'text':
      return { mime: 'text/plain', source: { at: 'text', text: text(source, 'data', path) } };
    case 'url':
      return { source: { at: 'url', url: text(source, 'url', path) } };
    case 'file':
      return { source: { at: 'file', id: text(source, 'file_id', path), owner: DIALECT } };
    case 'content':
      return contentSource(source, path, level);
    default:
      throw invalid(`${path}.type`, `${path}.type must be base64, text, url, file or content.`);
  }
}

/**
 * Returns the source of a document with several blocks. Its text is joined for other dialects; a
 * document with images has no text.
 */
function contentSource(source: JsonObject, path: string, level: number): SourceFacts {
  const parts = decodeBlocks(source['content'], `${path}.content`, level + 1);
  let joined = '';
  for (const part of parts) if (part.kind === 'text') joined += (joined === '' ? '' : '\n\n') + part.text;
  const isText = parts.every(({ kind }) => kind === 'text');
  const found: Source = isText ? { at: 'text', text: joined } : { at: 'file', id: '', owner: DIALECT };
  return { ...(isText ? { mime: 'text/plain' } : {}), source: found, ...extensions({ source }) };
}

const SEARCH_RESULT: ReadonlySet<string> = new Set([
  'type',
  'source',
  'title',
  'content',
  'citations',
  'cache_control',
]);

function decodeSearchResult(block: JsonObject, at: string, level: number): Part {
  const citations = read.object(block['citations'], `${at}.citations`);
  return {
    kind: 'search_result',
    source: text(block, 'source', at),
    title: text(block, 'title', at),
    parts: decodeBlocks(block['content'], `${at}.content`, level + 1),
    ...optional('citations', read.boolean(citations?.['enabled'], `${at}.citations.enabled`)),
    ...rest(block, SEARCH_RESULT),
    at,
  };
}

const TOOL_USE: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control']);

function decodeToolUse(block: JsonObject, at: string): Part {
  const input = required(read.object(block['input'], `${at}.input`), `${at}.input`, 'an object');
  const args = writtenJson(input);
  if (args === null) throw invalid(`${at}.input`, 'The input is nested too deep.');
  return {
    kind: 'tool_call',
    id: text(block, 'id', at),
    name: text(block, 'name', at),
    args,
    ...rest(block, TOOL_USE),
    at,
  };
}

const TOOL_RESULT: ReadonlySet<string> = new Set([
  'type',
  'tool_use_id',
  'content',
  'is_error',
  'cache_control',
]);

function decodeToolResult(block: JsonObject, at: string, level: number): Part {
  return {
    kind: 'tool_result',
    callId: text(block, 'tool_use_id', at),
    ...optional('error', read.boolean(block['is_error'], `${at}.is_error`)),
    parts: decodeBlocks(block['content'], `${at}.content`, level + 1),
    ...rest(block, TOOL_RESULT),
    at,
  };
}

function decodeThinking(block: JsonObject, at: string): ReasoningPart {
  const seal = readSignature(read.string(block['signature'], `${at}.signature`) ?? '');
  return { kind: 'reasoning', text: text(block, 'thinking', at), ...optional('seal', seal), at };
}

function decodeRedacted(block: JsonObject, at: string): ReasoningPart {
  return {
    kind: 'reasoning',
    text: '',
    seal: { by: 'anthropic', value: text(block, 'data', at), redacted: true },
    at,
  };
}
