/**
 * One kind of background work, shared by requesters and the worker. Payloads contain ids and never
 * secrets, because the job store does not encrypt them.
 */
export interface JobSpec<Payload extends object = object> {
  /** Unique name of [a-z-]. */
  readonly name: string;
  /** Interval of a recurring job in milliseconds; null: it runs only on request. */
  readonly everyMs: number | null;
  /** Payload of a scheduled run. */
  readonly scheduledPayload: Payload;
}

/** Declares a job; infers the type of its payload. */
export const defineJob = <Payload extends object>(spec: JobSpec<Payload>): JobSpec<Payload> => spec;

/**
 * Processes one kind of job. Must be safe to run twice, because a run is repeated if its worker
 * died.
 */
export interface JobProcessor<Payload extends object = object> {
  readonly spec: JobSpec<Payload>;
  process(payload: Payload): Promise<void>;
}
