/**
 * Whether a member of a card is signed (A2A 1.0, section 8.4): `required` members always when
 * present, `optional` ones (by keyword) when present, `implicit` ones only when they are not empty,
 * false or 0.
 */
export type Presence = 'required' | 'optional' | 'implicit';

/**
 * Kind of a member's value: a plain value, a message, a list or map of messages, or free JSON,
 * which is signed unchanged.
 */
export type ValueKind =
  | { readonly kind: 'plain' | 'free' }
  | { readonly kind: 'message' | 'list' | 'map'; readonly of: MessageMembers };

export interface Member {
  readonly presence: Presence;
  readonly valueKind: ValueKind;
}
export type MessageMembers = ReadonlyMap<string, Member>;

const PLAIN: ValueKind = { kind: 'plain' };

interface Names {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  readonly implicit?: readonly string[];
}
type Parts = Readonly<Record<string, readonly [Presence, ValueKind]>>;

/**
 * Describes the members of a message: plain ones by their presence, and those that contain
 * messages.
 */
function message({ required = [], optional = [], implicit = [] }: Names, parts: Parts = {}): MessageMembers {
  const plain = (names: readonly string[], presence: Presence): [string, Member][] =>
    names.map((name) => [name, { presence, valueKind: PLAIN }]);
  return new Map([
    ...plain(required, 'required'),
    ...plain(optional, 'optional'),
    ...plain(implicit, 'implicit'),
    ...Object.entries(parts).map(([name, [presence, valueKind]]): [string, Member] => [
      name,
      { presence, valueKind },
    ]),
  ]);
}

const inside = (of: MessageMembers): readonly [Presence, ValueKind] => ['implicit', { kind: 'message', of }];
const STRING_LIST = message({ implicit: ['list'] });
const REQUIREMENT = message({}, { schemes: ['implicit', { kind: 'map', of: STRING_LIST }] });
const REQUIREMENTS = ['implicit', { kind: 'list', of: REQUIREMENT }] as const;

const flow = (...required: string[]): readonly [Presence, ValueKind] =>
  inside(message({ required: [...required, 'scopes'], implicit: ['refreshUrl', 'pkceRequired'] }));
const FLOWS = message(
  {},
  {
    authorizationCode: flow('authorizationUrl', 'tokenUrl'),
    clientCredentials: flow('tokenUrl'),
    deviceCode: flow('deviceAuthorizationUrl', 'tokenUrl'),
    implicit: inside(message({ implicit: ['authorizationUrl', 'refreshUrl', 'scopes'] })),
    password: inside(message({ implicit: ['tokenUrl', 'refreshUrl', 'scopes'] })),
  },
);
const SCHEME = message(
  {},
  {
    apiKeySecurityScheme: inside(message({ required: ['location', 'name'], implicit: ['description'] })),
    httpAuthSecurityScheme: inside(
      message({ required: ['scheme'], implicit: ['description', 'bearerFormat'] }),
    ),
    oauth2SecurityScheme: inside(
      message(
        { implicit: ['description', 'oauth2MetadataUrl'] },
        { flows: ['required', { kind: 'message', of: FLOWS }] },
      ),
    ),
    openIdConnectSecurityScheme: inside(
      message({ required: ['openIdConnectUrl'], implicit: ['description'] }),
    ),
    mtlsSecurityScheme: inside(message({ implicit: ['description'] })),
  },
);
const INTERFACE = message({
  required: ['url', 'protocolBinding', 'protocolVersion'],
  implicit: ['tenant'],
});
const EXTENSION = message(
  { implicit: ['uri', 'description', 'required'] },
  { params: ['optional', { kind: 'free' }] },
);
const CAPABILITIES = message(
  { optional: ['streaming', 'pushNotifications', 'extendedAgentCard'] },
  { extensions: ['implicit', { kind: 'list', of: EXTENSION }] },
);
const SKILL = message(
  {
    required: ['id', 'name', 'description', 'tags'],
    implicit: ['examples', 'inputModes', 'outputModes'],
  },
  { securityRequirements: REQUIREMENTS },
);

/** Members of a card of A2A 1.0 that are signed: all except `signatures`. */
export const CARD_MEMBERS: MessageMembers = message(
  {
    required: ['name', 'description', 'version', 'defaultInputModes', 'defaultOutputModes'],
    optional: ['documentationUrl', 'iconUrl'],
  },
  {
    supportedInterfaces: ['required', { kind: 'list', of: INTERFACE }],
    capabilities: ['required', { kind: 'message', of: CAPABILITIES }],
    skills: ['required', { kind: 'list', of: SKILL }],
    provider: inside(message({ required: ['url', 'organization'] })),
    securitySchemes: ['implicit', { kind: 'map', of: SCHEME }],
    securityRequirements: REQUIREMENTS,
  },
);
