import { randomUUID } from 'node:crypto';
import {
  AgentCard,
  Role,
  type Message,
  type SendMessageRequest,
  type SendMessageResult,
  type Task,
} from '@a2a-js/sdk';
import {
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';
import type { GatewayHarness } from '../../spec-support/harness';

export interface SdkClientOptions {
  readonly apiKey?: string;
  readonly version?: '0.3' | '1.0';
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  /** Path of the agent; that of the caller's workspace by default. */
  readonly path?: string;
}

/** A client of the official SDK for an agent at the gateway. */
export function sdkClient(
  gateway: GatewayHarness,
  slug: string,
  { apiKey = gateway.apiKey, version = '1.0', binding = 'JSONRPC', path }: SdkClientOptions = {},
): Promise<Client> {
  const url = `http://127.0.0.1:${String(gateway.port)}${path ?? `/v1/agent/${slug}`}`;
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-gw-api-key', apiKey);
    return fetch(input, { ...init, headers });
  };
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
  });
  const supportedInterfaces = [{ url, protocolBinding: binding, protocolVersion: version, tenant: '' }];
  return factory.createFromAgentCard(
    AgentCard.fromJSON({
      name: slug,
      capabilities: { streaming: true, pushNotifications: true },
      supportedInterfaces,
    }),
  );
}

/** A message of a user with one text. */
export const textMessage = (
  text: string,
  message: Partial<Message> = {},
  request: Partial<SendMessageRequest> = {},
): SendMessageRequest => ({
  tenant: '',
  message: {
    ...{ messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER },
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
    ...message,
  },
  configuration: undefined,
  metadata: undefined,
  ...request,
});

/** The task of a result. Throws for a message. */
export function taskOf(result: SendMessageResult): Task {
  if (!('status' in result)) throw new Error('The result is a message.');
  return result;
}

/** The text of a message, or of the artifacts of a task. */
export const textOf = (result: SendMessageResult): string =>
  ('parts' in result ? result.parts : result.artifacts.flatMap(({ parts }) => parts))
    .map(({ content }) => (content?.$case === 'text' ? content.value : ''))
    .join(' ');
