import { GatewayError } from '@gw/kernel';
import type { ShallowScan } from '@gw/providers';
import { withoutSlug } from '../attempt/targeting';
import type { Route } from '../routes/route-table';

/**
 * Returns the scan of a body with the model and the stream that the client put into the path.
 * Throws `validation_failed` for a body that names another model than the path.
 */
export function addressedScan({ address }: Route, scan: ShallowScan): ShallowScan {
  if (address?.model == null) return scan;
  const { model, stream } = address;
  if (scan.model !== null && plainName(scan.model) !== plainName(model)) {
    throw new GatewayError('validation_failed', {
      param: 'model',
      message: 'model must name the model of the path; leave it out of the body.',
    });
  }
  return { ...scan, model, stream, modelSpan: null };
}

/**
 * Returns the plain name of a model: bodies of Google's API name it as `models/<name>`, and paths
 * may add a slug.
 */
const plainName = (model: string): string => withoutSlug(model.replace(/^models\//, ''));
