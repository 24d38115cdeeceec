import { CheckError, defineCheck } from '../check';
import { object } from '../parameters';
import { checkUrl, headersOf, HEADERS_PARAMETER, URL_PARAMETER } from '../remote';
import { webhookPayload } from './webhook';

interface Parameters {
  readonly logURL: string;
  readonly headers?: Readonly<Record<string, string>> | string;
}

export const log = defineCheck<Parameters>({
  id: 'default.log',
  doc: 'Sends request and response to your own service; the verdict is always true. The client’s headers are not sent.',
  kind: 'webhook',
  stages: ['input', 'output'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 3_000,
  timeoutParameter: 'timeout',
  parameters: object({ logURL: URL_PARAMETER, headers: HEADERS_PARAMETER }, ['logURL']),
  example: { logURL: 'https://logs.example.com/llm', headers: { authorization: 'Bearer secret' } },
  secretParameters: ['headers'],
  addressParameters: ['logURL'],
  prepare({ logURL, headers: written }, report) {
    checkUrl(logURL, 'logURL', report);
    const headers = headersOf(written, report);
    return {
      async evaluate(subject, { port, signal }) {
        const { status } = await port.call({
          url: logURL,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(webhookPayload(subject)),
          signal,
          responseBytesMax: 65_536,
        });
        if (status < 200 || status > 299)
          throw new CheckError(`The log service responded with status ${String(status)}.`);
        return { verdict: true };
      },
    };
  },
});
