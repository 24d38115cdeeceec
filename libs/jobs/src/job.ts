/**
 * One kind of background work, agreed on between those who ask for it and the worker. Payloads hold ids, never secrets: they rest
 * in the job store in the clear.
 */
export interface JobSpec<Payload extends object = object> {
  /** Unique, [a-z-]. */
  readonly name: string;
  /** Runs by itself this often, in milliseconds; null: only on request. */
  readonly everyMs: number | null;
  /** What a run that was scheduled gets. */
  readonly scheduledPayload: Payload;
}

export const defineJob = <Payload extends object>(spec: JobSpec<Payload>): JobSpec<Payload> => spec;

/** Does one kind of job. Must be safe to run twice: a run whose worker died is run again. */
export interface JobProcessor<Payload extends object = object> {
  readonly spec: JobSpec<Payload>;
  process(payload: Payload): Promise<void>;
}
