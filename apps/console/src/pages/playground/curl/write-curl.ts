import { API_PATHS, type RunRequest } from '../../../gateway';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const addressOf = (base: string, path: string): string => quoted(`${base.replace(/\/$/, '')}/v1${path}`);

const headerLines = (headers: RunRequest['headers']): readonly string[] => [
  '-H "x-gw-api-key: $TOLLGATE_KEY"',
  ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
];

/** A form whose files are read from the folder of the shell. */
const formCurl = (path: string, headers: RunRequest['headers'], form: FormData, base: string): string =>
  [
    `curl ${addressOf(base, path)}`,
    ...headerLines(headers),
    ...[...form].map(([name, value]) =>
      // A text that begins with @ or < would be read as the name of a file.
      typeof value === 'string'
        ? `--form-string ${quoted(`${name}=${value}`)}`
        : `-F ${quoted(`${name}=@${value.name}`)}`,
    ),
  ].join(' \\\n  ');

/** A request as a command. The key is a variable. */
export function curlOf(
  { api, method = 'POST', path = API_PATHS[api], headers, body }: RunRequest,
  base: string,
): string {
  if (body instanceof FormData) return formCurl(path, headers, body, base);
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body, null, 2);
  const lines = [
    `curl ${method === 'POST' && text !== '' ? '' : `-X ${method} `}${addressOf(base, path)}`,
    ...headerLines(headers),
    ...(text === '' ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(text)}`]),
  ];
  return lines.join(' \\\n  ');
}
