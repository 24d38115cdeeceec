import { logDetail } from '../../../messages/en/log-detail';
import { duration } from '../../../ui/format';
import { exactMoneyText } from '../../../ui/format';
import type { LoggedBody } from '../../../ui/body';
import { laneWords, waterfallLayout } from '../../../ui/waterfall';
import { costOf, decisionOf, waterfallRecord, type LogDetail } from './record';
import { sentenceOf } from './why/sentence';

/** Environment variable of the key in copied code; the console does not know the key itself. */
const KEY = 'TOLLGATE_KEY';

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const jsonOf = (body: LoggedBody): string | null => {
  if (body.encoding === 'json') return JSON.stringify(body.body);
  return body.encoding === 'utf8' && typeof body.body === 'string' ? body.body : null;
};

const pathOf = ({ request_url: url }: Pick<LogDetail, 'request_url'>): string =>
  url.startsWith('/') ? url : `/${url}`;

/** Formats the request as a curl command; null when its body is truncated or not text. */
export function curlOf(log: LogDetail, body: LoggedBody, gatewayUrl: string): string | null {
  if (body.truncated) return null;
  const text = jsonOf(body);
  if (text === null && body.encoding !== null) return null;
  const lines = [
    `curl ${quoted(gatewayUrl + pathOf(log))}`,
    ...(log.request_method === 'POST' && text !== null ? [] : [`  -X ${quoted(log.request_method)}`]),
    `  -H "authorization: Bearer $${KEY}"`,
    ...(log.config_id === null ? [] : [`  -H ${quoted(`x-gw-config: ${log.config_id}`)}`]),
    ...(text === null
      ? []
      : [
          `  -H ${quoted(`content-type: ${body.content_type ?? 'application/json'}`)}`,
          // With -d, curl would read a file when the text begins with @.
          `  --data-raw ${quoted(text)}`,
        ]),
  ];
  return lines.join(' \\\n');
}

const SDK_CALLS: Readonly<Record<string, string>> = {
  'chat.completions': 'chat.completions.create',
  responses: 'responses.create',
  completions: 'completions.create',
  embeddings: 'embeddings.create',
  moderations: 'moderations.create',
};

/**
 * Formats the request as a call of the OpenAI SDK for TypeScript; null when the SDK has no call for
 * the route or the body is truncated.
 */
export function sdkOf(log: LogDetail, body: LoggedBody, gatewayUrl: string): string | null {
  const method = SDK_CALLS[log.route];
  if (method === undefined || body.truncated || body.encoding !== 'json') return null;
  const headers =
    log.config_id === null ? '' : `, { headers: { 'x-gw-config': ${JSON.stringify(log.config_id)} } }`;
  return [
    "import OpenAI from 'openai';",
    '',
    `const client = new OpenAI({ baseURL: ${JSON.stringify(`${gatewayUrl}/v1`)}, apiKey: process.env.${KEY} });`,
    `const response = await client.${method}(${JSON.stringify(body.body, null, 2)}${headers});`,
    'console.log(response);',
  ].join('\n');
}

/**
 * Markdown summary of a log for an incident report: ids, times and cause, without bodies or
 * metadata.
 */
export function incidentOf(log: LogDetail, address: string): string {
  const decision = decisionOf(log);
  const { title, facts } = sentenceOf(log, decision);
  const cost = costOf(log);
  const { lanes } = waterfallLayout(waterfallRecord(log, decision));
  const text = logDetail.incident;
  const cells = (...values: readonly string[]): string =>
    `| ${values.map((value) => value.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    `**${log.response_status_code} ${log.request_method} ${pathOf(log)}**`,
    '',
    [title, ...facts].join(' '),
    '',
    `- ${text.request}: \`${log.id}\``,
    `- ${text.trace}: \`${log.trace_id}\``,
    `- ${text.time}: ${log.created_at}`,
    `- ${text.took}: ${duration(log.response_time)}`,
    ...(log.error_type === null ? [] : [`- ${text.error}: \`${log.error_type}\``]),
    ...(cost === null ? [] : [`- ${text.cost}: ${exactMoneyText(cost)} USD`]),
    `- ${address}`,
    '',
    cells(text.part, text.from, text.what),
    cells('---', '---', '---'),
    ...lanes.map((lane) => {
      const { name, detail, label } = laneWords(lane);
      return cells(`${name} ${detail}`, duration(lane.from), label);
    }),
  ].join('\n');
}
