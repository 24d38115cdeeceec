import { call, type ResponseOf, type Problem } from '../../../api';
import { awaitLog, sendRun, type Run } from '../../../gateway';
import type { WaterfallRecord } from '../../../ui/waterfall';

/** Ways in which the first target can fail. */
export const FAILURES = ['429', '503', 'slow', 'cut'] as const;
export type Failure = (typeof FAILURES)[number];

/** Slug of the config, which is created once for a workspace. */
export const FALLBACK_SLUG = 'try-fallback';
const MODEL = 'sandbox-small';
/** Timeout of the first target in milliseconds, far longer than the sandbox needs. */
const PATIENCE_MS = 800;

/** Sandbox settings of each failure, appended to the model name. */
const SETTINGS: Readonly<Record<Failure, string>> = {
  '429': 'status=429',
  '503': 'status=503',
  slow: 'latency=5000',
  cut: 'cut=3',
};

/** Fallback config of a failure: the first target fails, the second one responds. */
const fallbackFor = (failure: Failure): object => ({
  name: failure,
  strategy: { mode: 'fallback' },
  targets: [
    {
      name: 'first',
      provider: '@sandbox',
      // The timeout also bounds the waits before retries.
      ...(failure === 'slow' ? { request_timeout: PATIENCE_MS } : { retry: { attempts: 1 } }),
      override_params: { model: `${MODEL}?${SETTINGS[failure]}` },
    },
    { name: 'second', provider: '@sandbox' },
  ],
});

/**
 * Config that chooses the failure by the request's metadata, so that the requested model name
 * contains no settings.
 */
const CONFIG = {
  on_stream_failure: 'restart',
  strategy: {
    mode: 'conditional',
    conditions: FAILURES.map((failure) => ({
      query: { 'metadata.failure': { $eq: failure } },
      then: failure,
    })),
    default: '503',
  },
  targets: FAILURES.map(fallbackFor),
};

export interface FallbackRun {
  readonly record: WaterfallRecord;
  /** Id of the log. */
  readonly requestId: string | null;
  readonly isAnswered: boolean;
}

/** Creates the config unless the workspace has it. */
async function ensureConfig(workspaceId: string): Promise<void> {
  const { data }: { data: ResponseOf<'configs_list'> } = await call('configs_list', {
    query: { workspace_id: workspaceId, search: FALLBACK_SLUG, page_size: 100 },
  });
  if (data.data.some(({ slug }) => slug === FALLBACK_SLUG)) return;
  const body = { name: 'Try fallback', slug: FALLBACK_SLUG, workspace_id: workspaceId, config: CONFIG };
  await call('configs_create', {}, { body });
}

/** Sends a request through the config and reads its waterfall. Rejects with a `Problem`. */
export async function breakIt(workspaceId: string, failure: Failure): Promise<FallbackRun> {
  await ensureConfig(workspaceId);
  const request = {
    workspaceId,
    api: 'chat',
    headers: { 'x-gw-config': FALLBACK_SLUG, 'x-gw-metadata': JSON.stringify({ failure }) },
    body: {
      model: MODEL,
      messages: [{ role: 'user', content: 'Does it still answer?' }],
      stream: true,
      stream_options: { include_usage: true },
    },
  } as const;
  const run = await sendFresh(() => sendRun(request, new AbortController().signal, () => undefined));
  if (run.decision === null && run.problem !== null) throw run.problem;
  return {
    record: await recordOf(workspaceId, run),
    requestId: run.requestId,
    isAnswered: run.status === 'done',
  };
}

const ATTEMPTS_MAX = 20;
const WAIT_MS = 250;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeats a request while the gateway does not know the slug of the new config yet. */
async function sendFresh(send: () => Promise<Run>): Promise<Run> {
  for (let attempts = 1; ; attempts += 1) {
    const run = await send();
    if (attempts === ATTEMPTS_MAX || run.problem === null || !isUnknownConfig(run.problem)) return run;
    await pause(WAIT_MS);
  }
}

const isUnknownConfig = ({ type }: Problem): boolean => type === 'config_not_found';

/**
 * Returns the complete record from the log; without a log, the decision from the response headers.
 */
async function recordOf(workspaceId: string, run: Run): Promise<WaterfallRecord> {
  const row = await awaitLog(workspaceId, run);
  if (row === null)
    return {
      durationMs: run.tookMs,
      firstByteMs: run.firstTokenMs,
      streamed: true,
      outputTokens: run.outputTokens,
      decision: run.decision ?? {},
    };
  const { data } = await call('logs_get', { path: { logId: row.id }, query: { bodies: false } });
  return {
    durationMs: data.response_time,
    firstByteMs: data.first_byte_ms,
    streamed: data.streamed,
    outputTokens: data.res_units,
    decision: data.decision,
  };
}
