import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { minVersion, satisfies } from 'semver';

const ROOT = resolve(__dirname, '..', '..', '..');

interface LockedPackage {
  readonly engines?: { readonly node?: string };
}

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

describe('package-lock.json', () => {
  // `npm ci` runs on the Node.js of the machine, before the shipped one is installed, and refuses
  // such a package.
  it('contains only packages that support the oldest Node.js that package.json allows', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
    const oldest = minVersion(packages['']?.engines?.node ?? '')?.version ?? '';
    expect(oldest).toMatch(/^\d+\.\d+\.\d+$/);
    const unsupported = Object.entries(packages)
      .filter(([, { engines }]) => engines?.node !== undefined && !satisfies(oldest, engines.node))
      .map(([path, { engines }]) => `${path}: ${engines?.node ?? ''}`);
    expect(unsupported).toEqual([]);
  });
});
