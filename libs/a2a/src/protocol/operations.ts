import type { A2aVersion } from './versions';

interface OperationFacts {
  /** Method of JSON-RPC in 0.3; null where that version has none. */
  readonly method03: string | null;
  /** Method of JSON-RPC in 1.0. */
  readonly method10: string;
  /** Whether the response is a stream of server-sent events. */
  readonly streams: boolean;
}

/**
 * Operations of A2A by the names that this lib uses, with their JSON-RPC methods in 0.3 and 1.0.
 */
export const OPERATIONS = {
  sendMessage: { method03: 'message/send', method10: 'SendMessage', streams: false },
  sendStreamingMessage: { method03: 'message/stream', method10: 'SendStreamingMessage', streams: true },
  getTask: { method03: 'tasks/get', method10: 'GetTask', streams: false },
  listTasks: { method03: null, method10: 'ListTasks', streams: false },
  cancelTask: { method03: 'tasks/cancel', method10: 'CancelTask', streams: false },
  subscribeToTask: { method03: 'tasks/resubscribe', method10: 'SubscribeToTask', streams: true },
  createPushConfig: {
    method03: 'tasks/pushNotificationConfig/set',
    method10: 'CreateTaskPushNotificationConfig',
    streams: false,
  },
  getPushConfig: {
    method03: 'tasks/pushNotificationConfig/get',
    method10: 'GetTaskPushNotificationConfig',
    streams: false,
  },
  listPushConfigs: {
    method03: 'tasks/pushNotificationConfig/list',
    method10: 'ListTaskPushNotificationConfigs',
    streams: false,
  },
  deletePushConfig: {
    method03: 'tasks/pushNotificationConfig/delete',
    method10: 'DeleteTaskPushNotificationConfig',
    streams: false,
  },
  getExtendedCard: {
    method03: 'agent/getAuthenticatedExtendedCard',
    method10: 'GetExtendedAgentCard',
    streams: false,
  },
} as const satisfies Readonly<Record<string, OperationFacts>>;

export type Operation = keyof typeof OPERATIONS;

/** Operation of a JSON-RPC method, and the only version with that method name. */
export interface Method {
  readonly operation: Operation;
  readonly version: A2aVersion;
}

const BY_NAME: ReadonlyMap<string, Method> = new Map(
  (Object.keys(OPERATIONS) as Operation[]).flatMap((operation) => {
    const { method03, method10 } = OPERATIONS[operation];
    const methods: [string, Method][] = [[method10, { operation, version: '1.0' }]];
    if (method03 !== null) methods.push([method03, { operation, version: '0.3' }]);
    return methods;
  }),
);

/** Returns the operation and version of a JSON-RPC method; null for a name that no version has. */
export const methodNamed = (name: string): Method | null => BY_NAME.get(name) ?? null;

/**
 * Returns the JSON-RPC method of an operation; null when the version has none (`ListTasks` in 0.3).
 */
export const methodOf = (operation: Operation, version: A2aVersion): string | null =>
  version === '1.0' ? OPERATIONS[operation].method10 : OPERATIONS[operation].method03;

/** Returns whether the response to an operation is a stream of server-sent events. */
export const isStreaming = (operation: Operation): boolean => OPERATIONS[operation].streams;
