import type { Citation, JsonObject, Part, ReasoningPart } from '../call';
import { asArray, asObject, asString, objectsOf, optional } from '../values/json';

export const DIALECT = 'bedrock-converse';

/** Reads a citation; `start` and `end`: the text that it is on. */
export function decodeCitation(data: JsonObject, start: number, end: number): Citation {
  const url = asString(asObject(asObject(data['location'])?.['web'])?.['url']);
  const cited = objectsOf(data['sourceContent'])
    .map(({ text }) => asString(text) ?? '')
    .join('');
  return {
    ...optional('url', url ?? undefined),
    ...optional('title', asString(data['title']) ?? undefined),
    ...(cited === '' ? {} : { citedText: cited }),
    start,
    end,
    raw: { dialect: DIALECT, data },
  };
}

/**
 * Returns a reasoning part. Only Claude signs it, with the same signatures as on Anthropic's own
 * API.
 */
export const signed = (text: string, signature: string, isClaude: boolean): ReasoningPart => ({
  kind: 'reasoning',
  text,
  ...(signature === '' || !isClaude ? {} : { seal: { by: 'anthropic', value: signature } }),
});

export const redacted = (data: string): ReasoningPart => ({
  kind: 'reasoning',
  text: '',
  seal: { by: 'anthropic', value: data, redacted: true },
});

/** Names of Nova's own tools. */
const SYSTEM_TOOLS: ReadonlyMap<string, string> = new Map([['nova_grounding', 'web_search']]);

/** Returns the part for a call of a tool that Bedrock runs. */
export const hostedCall = (data: JsonObject): Part => {
  const name = asString(data['name']) ?? '';
  return { kind: 'hosted_call', tool: SYSTEM_TOOLS.get(name) ?? name, data, dialect: DIALECT };
};

export const hostedResult = (data: JsonObject): Part => {
  const type = (asString(data['type']) ?? '').replace(/_result$/, '');
  return { kind: 'hosted_result', tool: SYSTEM_TOOLS.get(type) ?? type, data, dialect: DIALECT };
};

/** Returns whether Bedrock runs the tool of a call itself. */
export const isHosted = (toolUse: JsonObject): boolean => toolUse['type'] === 'server_tool_use';

/** Returns the text of a block with citations. */
export const citedText = (block: JsonObject): string =>
  objectsOf(asArray(block['content']))
    .map(({ text }) => asString(text) ?? '')
    .join('');
