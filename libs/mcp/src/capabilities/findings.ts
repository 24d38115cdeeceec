import { isObject } from '@gw/kernel';
import { headerParameters } from '../http/header-parameters';
import { MCP_LIMITS, type JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { capabilityName, capabilityTexts, type CapabilityType } from './capability';
import type { Finding } from './finding';
import { linkFindings } from './links';
import { looksOf, nameFindings } from './name-findings';
import { foldedText, TEXT_SIGNS, type Severity } from './text-signs';

export interface FindingSurroundings {
  /**
   * Shown and original names of the tools of other servers that callers see together with this
   * server.
   */
  readonly otherNames: readonly string[];
  /** Names of all capabilities of the same server. */
  readonly ownNames: readonly string[];
  /** Host of the server, to which links are no finding; null when it is unknown. */
  readonly serverHost: string | null;
}

/** Names with which the definitions of one server are compared, prepared once for all of them. */
export interface FindingContext {
  readonly otherNames: ReadonlySet<string>;
  /** Names of the same server by their visual form; see `looksOf`. */
  readonly ownLooks: ReadonlyMap<string, string>;
  readonly serverHost: string | null;
}

const NAMES_MAX = 10_000;
/** Minimum length of a name that is searched for; shorter names occur as words in any text. */
const OTHER_NAME_MIN = 5;

/** Prepares the comparison of a server's definitions; uses the first 10,000 names of each kind. */
export function findingContext({ otherNames, ownNames, serverHost }: FindingSurroundings): FindingContext {
  const uniqueNames = new Set(ownNames.slice(0, NAMES_MAX));
  const others = otherNames
    .slice(0, NAMES_MAX)
    .filter((name) => name.length >= OTHER_NAME_MIN && !uniqueNames.has(name));
  return { otherNames: new Set(others), ownLooks: looksOf(uniqueNames), serverHost };
}

/**
 * Returns the findings on the definition of a capability: each rule once, with its highest
 * severity, in the order of the rules' names. Reads at most 262,144 characters in linear time. The
 * result is deterministic.
 */
export function findingsOf(
  type: CapabilityType,
  definition: JsonObject,
  context: FindingContext,
): readonly Finding[] {
  const { texts, isCut } = capabilityTexts(definition);
  const found = [
    ...texts.flatMap((text) => textFindings(text, context)),
    ...nameFindings(capabilityName(type, definition), type, context.ownLooks),
    ...(type === 'tool' ? schemaFindings(definition) : []),
    ...(isCut ? [{ rule: 'long_text', severity: 'high' } as const] : []),
  ];
  return strongest(found);
}

const RANK: Readonly<Record<Severity, number>> = { info: 1, warn: 2, high: 3 };

/** Returns the highest severity of findings; null without findings. */
export const severityOf = (findings: readonly Finding[]): Severity | null =>
  findings.reduce<Severity | null>(
    (highest, { severity }) => (highest === null || RANK[severity] > RANK[highest] ? severity : highest),
    null,
  );

function strongest(found: readonly Finding[]): readonly Finding[] {
  const byRule = new Map<string, Finding>();
  for (const finding of found) {
    const known = byRule.get(finding.rule);
    if (known === undefined || RANK[finding.severity] > RANK[known.severity])
      byRule.set(finding.rule, finding);
  }
  return [...byRule.values()].sort((one, other) => (one.rule < other.rule ? -1 : 1));
}

function textFindings(text: string, { otherNames, serverHost }: FindingContext): readonly Finding[] {
  const folded = foldedText(text);
  const signs = TEXT_SIGNS.filter(({ raw, pattern }) => pattern.test(raw === true ? text : folded));
  return [
    ...signs.map(({ rule, severity }) => ({ rule, severity })),
    ...mentionFindings(text, otherNames),
    ...(text.length > MCP_LIMITS.descriptionMax ? [{ rule: 'long_text', severity: 'high' } as const] : []),
    ...linkFindings(folded, serverHost),
  ];
}

/**
 * Matches names that cannot be a plain word: they have a sign, a digit, or a capital letter inside.
 */
const IDENTIFIER = /[_.\-\d]|[a-z][A-Z]/;
const KINDS: ReadonlySet<string> = new Set(['tool', 'tools', 'function', 'server']);

/**
 * Returns findings for names of other servers' tools. A name that is a plain word counts only next
 * to a word such as `tool`.
 */
function mentionFindings(text: string, otherNames: ReadonlySet<string>): readonly Finding[] {
  const words = text.split(/[^\w.-]/).map((word) => (word.endsWith('.') ? word.slice(0, -1) : word));
  const mentioned = words.flatMap((word, at) => {
    if (!otherNames.has(word)) return [];
    if (IDENTIFIER.test(word)) return ['high'] as const;
    const isTool = [words[at - 1], words[at + 1]].some(
      (each) => each !== undefined && KINDS.has(each.toLowerCase()),
    );
    return isTool ? (['warn'] as const) : [];
  });
  return [...new Set(mentioned)].map((severity) => ({ rule: 'names_other_tool', severity }));
}

const CREDENTIAL_PROPERTY =
  /^(?:passw(?:or)?d|passphrase|secret|api_?key|private_?key|client_?secret|access_?token|refresh_?token|session_?cookie|credit_?card|card_?number|cvv|ssn|seed_?phrase)$/i;
const DEPTH_MAX = 64;

/**
 * Returns findings on an input or output schema: headers, references to other documents, arguments
 * for credentials.
 */
function schemaFindings(definition: JsonObject): readonly Finding[] {
  const input = own(definition, 'inputSchema');
  const found: Finding[] = [];
  if (!headerParameters(input).ok) found.push({ rule: 'illegal_header_parameter', severity: 'high' });
  visitSchema(input, found, 0);
  visitSchema(own(definition, 'outputSchema'), found, 0, false);
  return found;
}

function visitSchema(schema: unknown, found: Finding[], depth: number, isInput = true): void {
  if (depth > DEPTH_MAX) return;
  if (Array.isArray(schema)) for (const each of schema) visitSchema(each, found, depth + 1, isInput);
  if (!isObject(schema)) return;
  const reference = own(schema, '$ref');
  if (typeof reference === 'string' && !reference.startsWith('#'))
    found.push({ rule: 'external_reference', severity: 'high' });
  if (isInput && Object.keys(ownObject(schema, 'properties')).some((name) => CREDENTIAL_PROPERTY.test(name)))
    found.push({ rule: 'asks_for_credential', severity: 'high' });
  for (const each of Object.values(schema)) visitSchema(each, found, depth + 1, isInput);
}
