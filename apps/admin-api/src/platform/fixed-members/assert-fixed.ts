import { isDeepStrictEqual } from 'node:util';
import { validationFailed } from '@gw/web';

/**
 * Throws `validation_failed` for members of a PUT that cannot be changed and whose value differs
 * from `before`. Clients can thus send back a GET response, and no change is ignored silently.
 */
export function assertFixed(sent: ReadonlyMap<string, unknown>, before: unknown): void {
  const shown = JSON.parse(JSON.stringify(before ?? {})) as Record<string, unknown>;
  const faults = [...sent]
    .filter(([name, value]) => !Object.hasOwn(shown, name) || !isDeepStrictEqual(shown[name], value))
    .map(([path]) => ({ path, message: path === 'status' ? NOT_ARCHIVED : `${path} ${UNCHANGED}` }));
  if (faults.length > 0) throw validationFailed(faults);
}

const NOT_ARCHIVED = 'status cannot be set here; to archive the resource, send DELETE.';
const UNCHANGED = 'is set at creation and cannot be changed; leave it out, or create another resource.';
