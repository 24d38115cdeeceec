import { API_PATHS, type RunRequest } from '../../../gateway';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const addressOf = (base: string, path: string): string => quoted(`${base.replace(/\/$/, '')}/v1${path}`);

const headerLines = (headers: RunRequest['headers']): readonly string[] => [
  '-H "x-gw-api-key: $TOLLGATE_KEY"',
  ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
];

/** Formats a form request as curl. curl reads the files from the current folder of the shell. */
const formCurl = (path: string, headers: RunRequest['headers'], form: FormData, base: string): string =>
  [
    `curl ${addressOf(base, path)}`,
    ...headerLines(headers),
    ...[...form].map(([name, value]) =>
      // With -F, a text that begins with @ or < would be read as a file name.
      typeof value === 'string'
        ? `--form-string ${quoted(`${name}=${value}`)}`
        : `-F ${quoted(`${name}=@${value.name}`)}`,
    ),
  ].join(' \\\n  ');

/** Formats a request as a curl command, with the key as a variable. */
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
