import type { ImportedPackage, ImportedRemote, ImportedServer, RequestedInput } from '@gw/mcp';
import { ResponseField } from '@gw/web';
import { TRANSPORTS } from '../mcp-integrations.dto';

class ImportedInputResponse {
  @ResponseField.text({ example: 'tenant' }) readonly name!: string;
  @ResponseField.text({ example: 'Name of your tenant.' }) readonly description!: string;
  @ResponseField.boolean() readonly is_secret!: boolean;
  @ResponseField.boolean() readonly is_required!: boolean;
  @ResponseField.texts({ description: 'Allowed values; empty when any value is allowed.', example: [] })
  readonly choices!: readonly string[];
  @ResponseField.text({ nullable: true, example: 'eu' }) readonly default!: string | null;
}

class ImportedHeaderResponse extends ImportedInputResponse {
  @ResponseField.text({
    nullable: true,
    description: 'Value from the document; null when the request must contain one.',
    example: null,
  })
  readonly value!: string | null;
  @ResponseField.text({
    nullable: true,
    description: "Description of the value's format.",
    example: 'Bearer {token}',
  })
  readonly template!: string | null;
}

class ImportedRemoteResponse {
  @ResponseField.oneOf(TRANSPORTS) readonly transport!: (typeof TRANSPORTS)[number];
  @ResponseField.text({ example: 'https://{tenant}.example.com/mcp' }) readonly url!: string;
  @ResponseField.list(() => ImportedInputResponse) readonly variables!: readonly ImportedInputResponse[];
  @ResponseField.list(() => ImportedHeaderResponse) readonly headers!: readonly ImportedHeaderResponse[];
}

class ImportedPackageResponse {
  @ResponseField.text({ example: 'npm' }) readonly registry_type!: string;
  @ResponseField.text({ example: '@example/weather-mcp' }) readonly identifier!: string;
  @ResponseField.text({ example: '1.0.0' }) readonly version!: string;
  @ResponseField.text({ example: 'Tollgate starts no programs.' }) readonly reason!: string;
}

export class ImportedMcpServerResponse {
  @ResponseField.uuid({
    nullable: true,
    description: 'The created integration; null when nothing was saved.',
  })
  readonly id!: string | null;
  @ResponseField.text({ nullable: true, example: 'weather' }) readonly slug!: string | null;
  @ResponseField.text({ example: 'com.example/weather' }) readonly name!: string;
  @ResponseField.text({ example: 'Weather' }) readonly title!: string;
  @ResponseField.text({ example: 'Forecasts.' }) readonly description!: string;
  @ResponseField.text({ example: '1.0.0' }) readonly version!: string;
  @ResponseField.list(() => ImportedRemoteResponse) readonly remotes!: readonly ImportedRemoteResponse[];
  @ResponseField.list(() => ImportedPackageResponse, {
    description: 'The first 20 packages: local programs, which cannot be imported.',
  })
  readonly packages!: readonly ImportedPackageResponse[];
}

/** Explains why packages are not imported, and what to do instead. */
export const PACKAGES_REFUSED =
  'Tollgate starts no programs; run the package behind a bridge such as supergateway, and register the URL of the bridge.';

const toInput = ({
  name,
  description,
  isSecret,
  isRequired,
  choices,
  fallback,
}: RequestedInput): ImportedInputResponse => ({
  ...{ name, description, choices },
  ...{ is_secret: isSecret, is_required: isRequired, default: fallback },
});

const toRemote = ({ transport, url, variables, headers }: ImportedRemote): ImportedRemoteResponse => ({
  ...{ transport, url, variables: variables.map(toInput) },
  headers: headers.map((header) => ({ ...toInput(header), value: header.value, template: header.template })),
});

const toPackage = ({ registryType, identifier, version }: ImportedPackage): ImportedPackageResponse => ({
  ...{ registry_type: registryType, identifier, version, reason: PACKAGES_REFUSED },
});

export const toImported = (
  { name, title, description, version, remotes, packages }: ImportedServer,
  saved: { readonly id: string; readonly slug: string } | null,
): ImportedMcpServerResponse => ({
  ...{ id: saved?.id ?? null, slug: saved?.slug ?? null, name, title, description, version },
  ...{ remotes: remotes.map(toRemote), packages: packages.map(toPackage) },
});
