import { integer } from '@gw/kernel';

const MINUTE = 60_000;

/**
 * Settings of the shutdown. Orchestrators must wait ten seconds longer than `SHUTDOWN_GRACE` before
 * they kill a process.
 */
export const SHUTDOWN_SETTINGS = {
  /**
   * Milliseconds for which a stopping process accepts connections while `/health/ready` returns
   * 503.
   */
  SHUTDOWN_LEAD: integer({ min: 0, max: 5 * MINUTE }, 5_000),
  /** Milliseconds from the signal until in-flight requests are interrupted, including the lead. */
  SHUTDOWN_GRACE: integer({ min: 0, max: 60 * MINUTE }, 50_000),
};

export interface ShutdownSettings {
  readonly SHUTDOWN_LEAD: number;
  readonly SHUTDOWN_GRACE: number;
}
