import { AWS_MEMBERS } from '@gw/providers';
import { shortenedFault } from '../../platform/credentials/shown-secret';
import type { CheckedIntegration, Faults } from '../../platform/upstreams/configuration-faults';

const SECRET_MAX = 256;

/** Checks the configuration `aws_sigv4`. */
export function checkAwsKey(
  value: unknown,
  path: string,
  faults: Faults,
  { mapped }: Pick<CheckedIntegration, 'mapped'>,
): void {
  if (!faults.object(value, path, [...Object.keys(AWS_MEMBERS), 'secret_access_key'])) return;
  for (const [name, { pattern, rule }] of Object.entries(AWS_MEMBERS)) {
    const text = value[name];
    if (typeof text !== 'string' || !pattern.test(text)) faults.add(`${path}.${name}`, rule);
  }
  const { secret_access_key: secret } = value;
  faults.optionalText(secret, `${path}.secret_access_key`, SECRET_MAX);
  faults.add(`${path}.secret_access_key`, shortenedFault(secret));
  if (!mapped.has('secret_access_key') && (secret === undefined || secret === null))
    faults.add(
      `${path}.secret_access_key`,
      'is required; send it, or map secret_access_key to a secret reference',
    );
}
