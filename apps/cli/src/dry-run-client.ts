import { ApiClient, ApiError, type Detail, type Json } from './api-client';
import { NOT_MADE } from './kind';
import { isFields } from './values';

export const dryRunOf = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}dry_run=true`;

/** A write that the control plane checked but did not execute. */
export interface CheckedWrite {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly body: Json;
}

/** Receives the results of a dry run's writes. */
export interface Verdicts {
  refused(write: CheckedWrite, error: ApiError): void;
  /** The write would succeed, with these warnings. */
  accepted(write: CheckedWrite, warnings: readonly Detail[]): void;
  /** The write depends on an earlier write of the run and cannot be checked in advance. */
  unchecked(write: CheckedWrite): void;
}

/**
 * Client for dry runs. Reads are executed; writes are checked by the control plane and then treated
 * as executed.
 */
export class DryRunClient extends ApiClient {
  verdicts: Verdicts | undefined;
  /** Paths of the resources that a real run would have created. */
  private readonly planned: string[] = [];
  /**
   * Slugs of planned workspaces by the id of the existing workspace that represents them in checks.
   */
  readonly standIns = new Map<string, string>();

  override async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    if (method === 'GET') return super.call<T>(method, path, body);
    const write = { method, path: path.replace(/\?.*$/s, ''), body: isFields(body) ? body : {} };
    if (this.dependsOnPlanned(write)) this.verdicts?.unchecked(write);
    else await this.check(write, path, body);
    return this.responseTo(write) as T;
  }

  private async check(write: CheckedWrite, path: string, body: unknown): Promise<void> {
    try {
      const { warnings = [] } = await super.call<{ warnings?: readonly Detail[] }>(
        write.method,
        dryRunOf(path),
        body,
      );
      this.verdicts?.accepted(write, warnings);
    } catch (error) {
      if (!(error instanceof ApiError) || error.isWithoutResponse) throw error;
      const message = error.message.replace(/[?&]dry_run=true/, '');
      this.verdicts?.refused(write, new ApiError(error.status, message, error.details));
    }
  }

  private dependsOnPlanned({ path, body }: CheckedWrite): boolean {
    return (
      this.planned.some((planned) => path === planned || path.startsWith(`${planned}/`)) ||
      [path, JSON.stringify(body)].some((text) => text.includes(NOT_MADE))
    );
  }

  private responseTo({ method, path, body }: CheckedWrite): Json {
    const slug = String(body['slug']);
    const standIn = path === '/v1/workspaces' ? this.standIns.get(slug) : undefined;
    if (method === 'POST' && standIn === undefined) this.planned.push(`${path}/${slug}`);
    return {
      id: standIn ?? NOT_MADE,
      slug,
      version_id: NOT_MADE,
      prompt_version_id: NOT_MADE,
      prompt_partial_version_id: NOT_MADE,
    };
  }
}
