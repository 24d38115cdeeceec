import { isObject } from '@gw/kernel';
import { CheckError, defineCheck, type CheckOutcome } from '../check';
import { checkForwardHeaders, FORWARD_HEADERS_PARAMETER, forwarded } from '../forward-headers';
import { type JsonObject } from '../json';
import { object } from '../parameters';
import { checkUrl, headersOf, HEADERS_PARAMETER, postJson, URL_PARAMETER } from '../remote';
import type { Subject } from '../subject';

interface Parameters {
  readonly webhookURL: string;
  readonly headers?: Readonly<Record<string, string>> | string;
  readonly forwardHeaders?: readonly string[];
  readonly executeOnProxy: boolean;
}

export const webhook = defineCheck<Parameters>({
  id: 'default.webhook',
  doc: 'Your own HTTP service decides, and may return another body.',
  kind: 'webhook',
  stages: ['input', 'output'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: true,
  timeoutMs: 3_000,
  timeoutParameter: 'timeout',
  parameters: object(
    {
      webhookURL: URL_PARAMETER,
      headers: HEADERS_PARAMETER,
      forwardHeaders: FORWARD_HEADERS_PARAMETER,
      executeOnProxy: { type: 'boolean', default: false, description: 'Also runs on passthrough requests.' },
    },
    ['webhookURL'],
  ),
  example: {
    webhookURL: 'https://checks.example.com/verdict',
    headers: { authorization: 'Bearer secret' },
    forwardHeaders: ['x-session-id'],
    executeOnProxy: true,
  },
  secretParameters: ['headers'],
  addressParameters: ['webhookURL'],
  prepare(parameters, report) {
    checkUrl(parameters.webhookURL, 'webhookURL', report);
    const headers = headersOf(parameters.headers, report);
    const forwardedNames = checkForwardHeaders(parameters.forwardHeaders, report);
    return {
      transforms: true,
      runsOnPassthrough: parameters.executeOnProxy,
      async evaluate(subject, context) {
        // The admin's headers take precedence over the client's.
        const sent = { ...forwarded(forwardedNames, subject.facts.headers), ...headers };
        const response = await postJson(
          context,
          parameters.webhookURL,
          sent,
          JSON.stringify(webhookPayload(subject)),
        );
        return outcomeOf(subject, response);
      },
    };
  },
});

/** Returns the JSON that webhooks receive for a request: without headers and credentials. */
export function webhookPayload(subject: Subject): JsonObject {
  const { facts, stage, request, response, responseStatus, isTransformed } = subject;
  const text = subject.texts(['last_message']).join('\n');
  const isInput = stage === 'input';
  return {
    request: {
      json: request,
      text: isInput ? text : '',
      isStreamingRequest: facts.isStreaming,
      isTransformed: isInput && isTransformed,
      ...(facts.isPassthrough
        ? { method: facts.method, path: facts.path, contentType: facts.contentType }
        : {}),
    },
    response: {
      json: response,
      text: isInput ? '' : text,
      statusCode: responseStatus,
      isTransformed: !isInput && isTransformed,
    },
    provider: facts.provider,
    requestType: facts.requestType,
    metadata: facts.metadata,
    eventType: isInput ? 'beforeRequestHook' : 'afterRequestHook',
  };
}

function outcomeOf({ stage }: Subject, response: unknown): CheckOutcome {
  if (!isObject(response) || typeof response['verdict'] !== 'boolean') {
    throw new CheckError(
      'The webhook returned no verdict; it must respond with an object that has a boolean `verdict`.',
    );
  }
  const data = isObject(response['data']) ? response['data'] : null;
  const { transformedData } = response;
  const changed = isObject(transformedData)
    ? transformedData[stage === 'input' ? 'request' : 'response']
    : null;
  const body = isObject(changed) ? changed['json'] : undefined;
  return {
    verdict: response['verdict'],
    data,
    ...(isObject(body) ? { body } : {}),
  };
}
