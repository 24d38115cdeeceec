import { integer } from '@gw/kernel';

const MINUTE = 60_000;

/** How a process ends. Orchestrators must wait longer than `SHUTDOWN_GRACE` before they kill: ten seconds more. */
export const SHUTDOWN_SETTINGS = {
  /** Milliseconds for which a process that was stopped still takes connections, while `/health/ready` gives 503. */
  SHUTDOWN_LEAD: integer({ min: 0, max: 5 * MINUTE }, 5_000),
  /** Milliseconds from the signal on that requests have to end, the lead included; then they are interrupted. */
  SHUTDOWN_GRACE: integer({ min: 0, max: 60 * MINUTE }, 50_000),
};

export interface ShutdownSettings {
  readonly SHUTDOWN_LEAD: number;
  readonly SHUTDOWN_GRACE: number;
}
