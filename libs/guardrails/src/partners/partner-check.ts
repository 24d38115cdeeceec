import { isHeaderValue } from '@gw/kernel';
import {
  CheckError,
  defineCheck,
  type CheckContext,
  type CheckDefinition,
  type CheckOutcome,
  type ParameterReport,
} from '../check';
import type { JsonObject } from '../json';
import { object, scopeParameter, textsOf } from '../parameters';
import { checkUrl, postJson } from '../remote';
import { secretParameter, SecretParameters } from '../secret-reference';
import type { Subject } from '../subject';
import { replaceFindings } from '../text/replace';
import type { Scope } from '../text/scope';
import { azureContentSafety } from './azure-content-safety';
import { azureShieldPrompt } from './azure-shield-prompt';
import { bedrockGuardrails } from './bedrock-guardrails';
import { lakera } from './lakera';
import { mistralModeration, openaiModeration } from './moderation';
import { filled, type PartnerDefinition, type PartnerVerdict } from './partner';
import { presidio } from './presidio';

/** Maximum calls of one check. A text that needs more cannot be judged. */
const CALLS_MAX = 16;

interface Parameters {
  readonly scope: readonly Scope[];
  readonly redact?: boolean;
  readonly [name: string]: unknown;
}

/** Adapts the definition of a partner to a check. */
export function partnerCheck(partner: PartnerDefinition): CheckDefinition {
  const canRedact = 'redact' in partner.parameters;
  return defineCheck<Parameters>({
    id: partner.id,
    aliases: partner.aliases ?? [],
    doc: partner.doc,
    kind: 'text',
    stages: ['input', 'output'],
    allowedForMcpTools: false,
    wholeResponse: true,
    transforms: canRedact,
    timeoutMs: 5_000,
    timeoutParameter: 'timeout',
    parameters: object(
      {
        ...withReferences(partner),
        scope: scopeParameter(...partner.scope),
      },
      partner.required,
    ),
    example: { ...partner.example, scope: partner.scope },
    secretParameters: partner.secrets,
    addressParameters: addressesOf(partner),
    prepare(parameters, report, source) {
      partner.check?.(parameters, report);
      const url =
        filled(partner.url, { ...defaultsOf(partner, parameters), ...parameters }, encodeURIComponent) ?? '';
      checkUrl(url, 'endpoint', report);
      const call: PartnerCall = { partner, parameters, url, headers: headersOf(partner, parameters) };
      checkHeaderTexts(partner, parameters, report);
      const redacts = canRedact && parameters.redact === true;
      const secrets = new SecretParameters(parameters, partner.secrets, source, report);
      return {
        transforms: redacts,
        evaluate(subject, context) {
          const texts = textsOf(subject, parameters.scope);
          if (texts.length === 0) return { verdict: true, data: { texts: 0 } };
          const run = (settled: PartnerCall): Promise<CheckOutcome> =>
            redacts ? redact(settled, subject, context) : judge(settled, texts, subject, context);
          const reading = secrets.read();
          if (reading === null) return run(call);
          return reading.then((read) =>
            run({ ...call, parameters: read, headers: headersOf(partner, read) }),
          );
        },
      };
    },
  });
}

/** Returns the parameters that are part of the service's host. */
const addressesOf = ({ endpoint = '', url }: PartnerDefinition): readonly string[] => {
  const [origin = ''] = url.replace('://', ':').split('/');
  return [...`${origin} ${endpoint}`.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
};

const withReferences = ({ parameters, secrets }: PartnerDefinition): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, schema]) => [
      name,
      secrets.includes(name) ? secretParameter(schema) : schema,
    ]),
  );

interface PartnerCall {
  readonly partner: PartnerDefinition;
  readonly parameters: Parameters;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const defaultsOf = ({ endpoint }: PartnerDefinition, parameters: JsonObject): JsonObject =>
  endpoint === undefined ? {} : { endpoint: filled(endpoint, parameters, encodeURIComponent) };

function headersOf(partner: PartnerDefinition, parameters: JsonObject): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(partner.headers)) {
    const value = filled(template, parameters, (text) => text);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** Reports parameters that cannot be part of a header value. */
function checkHeaderTexts(partner: PartnerDefinition, parameters: JsonObject, report: ParameterReport): void {
  const named = Object.values(partner.headers).flatMap((template) => [...template.matchAll(/\{(\w+)\}/g)]);
  for (const [, name = ''] of named) {
    const value = parameters[name];
    if (typeof value !== 'string' || isHeaderValue(value)) continue;
    report([name], 'header_value', 'must have no line breaks or control characters', '(hidden)');
  }
}

async function callPartner(
  { partner, parameters, url, headers }: PartnerCall,
  texts: readonly string[],
  subject: Subject,
  context: CheckContext,
): Promise<PartnerVerdict> {
  const body = JSON.stringify(partner.body(texts, parameters, subject.stage));
  const sent = { ...headers, 'content-type': 'application/json' };
  const signed = await partner.sign?.({ url, headers: sent, body }, parameters, new Date(context.port.now()));
  const verdict = partner.read(await postJson(context, url, signed ?? sent, body), parameters);
  if (!verdict) throw new CheckError('The partner’s response has no verdict.');
  return verdict;
}

async function judge(
  call: PartnerCall,
  texts: readonly string[],
  subject: Subject,
  context: CheckContext,
): Promise<CheckOutcome> {
  const { textLengthMax, textsMax } = call.partner;
  const pieces = texts.flatMap((text) => piecesOf(text, textLengthMax));
  const calls: string[][] = [];
  for (let at = 0; at < pieces.length; at += textsMax) calls.push(pieces.slice(at, at + textsMax));
  if (calls.length > CALLS_MAX) throw new CheckError('The text needs more calls than one check can make.');
  const verdicts = await Promise.all(calls.map((each) => callPartner(call, each, subject, context)));
  const decisive = verdicts.find(({ flagged }) => flagged) ?? verdicts[0];
  return { verdict: !verdicts.some(({ flagged }) => flagged), data: decisive?.data ?? null };
}

/**
 * Splits a text into slightly overlapping pieces, so that a phrase across the end of one is whole
 * in the next.
 */
function piecesOf(text: string, lengthMax: number): readonly string[] {
  if (text.length <= lengthMax) return [text];
  const pieces: string[] = [];
  const overlap = Math.min(200, Math.floor(lengthMax / 10));
  for (let at = 0; at < text.length; at += lengthMax - overlap) {
    pieces.push(text.slice(at, at + lengthMax));
    if (at + lengthMax >= text.length) break;
  }
  return pieces;
}

/** Redacts each text in its own call, so that positions refer to that text. */
async function redact(call: PartnerCall, subject: Subject, context: CheckContext): Promise<CheckOutcome> {
  const passages = subject.passages();
  const positions = subject.selected(call.parameters.scope);
  if (positions.length > CALLS_MAX)
    throw new CheckError('The request has more texts than one check can send.');
  const edits = new Map<number, string>();
  let found = 0;
  await Promise.all(
    positions.map(async (position) => {
      const text = passages[position]?.text ?? '';
      if (text.length > call.partner.textLengthMax)
        throw new CheckError('A text is longer than the partner accepts.');
      const { places = [] } = await callPartner(call, [text], subject, context);
      // The service counts code points, as Python does; texts here are counted in UTF-16 units.
      const units = unitsOf(text);
      const findings = places.map(({ start, end, label }) => ({
        start: units(start),
        end: units(end),
        label,
        replacement: `[${label}]`,
      }));
      found += findings.length;
      if (findings.length > 0) edits.set(position, replaceFindings(text, findings));
    }),
  );
  return { verdict: true, data: { found }, edits };
}

/** Returns a function that converts code point positions to UTF-16 positions. */
function unitsOf(text: string): (position: number) => number {
  if (!/[\ud800-\udbff]/.test(text)) return (position) => position;
  const starts: number[] = [];
  let at = 0;
  for (const char of text) {
    starts.push(at);
    at += char.length;
  }
  return (position) => starts[position] ?? text.length;
}

export const PARTNER_CHECKS: readonly CheckDefinition[] = [
  azureContentSafety,
  azureShieldPrompt,
  bedrockGuardrails,
  lakera,
  presidio,
  openaiModeration,
  mistralModeration,
].map(partnerCheck);

const PARTNER_IDS: ReadonlySet<string> = new Set(PARTNER_CHECKS.map(({ id }) => id));

/** Returns the partner whose account a check needs, from the start of its id; null for none. */
export const partnerOf = ({ id }: CheckDefinition): string | null =>
  PARTNER_IDS.has(id) ? id.slice(0, id.indexOf('.')) : null;
