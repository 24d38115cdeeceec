import { API_PATHS, type RunRequest } from '../../../gateway';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A request as a command. The key is a variable. */
export function curlOf(
  { api, method = 'POST', path = API_PATHS[api], headers, body }: RunRequest,
  base: string,
): string {
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body, null, 2);
  const lines = [
    `curl ${method === 'POST' && text !== '' ? '' : `-X ${method} `}${quoted(`${base.replace(/\/$/, '')}/v1${path}`)}`,
    '-H "x-gw-api-key: $TOLLGATE_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(text === '' ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(text)}`]),
  ];
  return lines.join(' \\\n  ');
}
