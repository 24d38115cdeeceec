/**
 * An attribute of a SCIM schema (RFC 7643, section 7). Absent members have the defaults of the RFC.
 */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';
  readonly description: string;
  readonly multiValued?: true;
  readonly required?: true;
  readonly caseExact?: true;
  readonly mutability?: 'readOnly' | 'writeOnly' | 'immutable';
  readonly returned?: 'always' | 'never';
  readonly uniqueness?: 'server';
  readonly sub?: readonly Attribute[];
}

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A type of resource: its core schema and at most one extension. */
export interface ResourceKind {
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly description: string;
  readonly schema: Schema;
  readonly extension: Schema | null;
}

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});

const flag = (name: string, description: string): Attribute => ({ name, type: 'boolean', description });

/**
 * Creates a list attribute whose elements have a value, a label and a type; at most one element is
 * primary.
 */
const list = (name: string, description: string, value: string): Attribute => ({
  name,
  type: 'complex',
  description,
  multiValued: true,
  sub: [
    text('value', value),
    text('display', 'Name to show.'),
    text('type', 'Kind of the value, such as work or home.'),
    flag('primary', 'Whether this is the main value; one at most is.'),
  ],
});

const reference = (name: string, description: string): Attribute => ({
  name,
  type: 'reference',
  description,
  caseExact: true,
});

const USER: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A user of the organisation.',
  attributes: [
    text('userName', 'Name to log in with: an e-mail address of a verified domain.', {
      required: true,
      uniqueness: 'server',
    }),
    {
      name: 'name',
      type: 'complex',
      description: 'Parts of the name.',
      sub: [
        text('formatted', 'The whole name.'),
        text('familyName', 'Last name.'),
        text('givenName', 'First name.'),
      ],
    },
    text('displayName', 'Name to show.'),
    text('title', 'Title, such as Vice President.'),
    text('preferredLanguage', 'Preferred language, such as en-GB.'),
    text('locale', 'Locale of numbers and dates, such as en-GB.'),
    text('timezone', 'Time zone, such as Europe/Paris.'),
    flag('active', 'Whether the user belongs to the organisation.'),
    text('password', 'Accepted and dropped.', { mutability: 'writeOnly', returned: 'never' }),
    list('emails', 'E-mail addresses.', 'E-mail address.'),
    list('phoneNumbers', 'Phone numbers.', 'Phone number.'),
    list('roles', 'Roles at the identity provider. They give no rights.', 'Name of the role.'),
    {
      name: 'groups',
      type: 'complex',
      description: 'Groups that the user is a member of.',
      multiValued: true,
      mutability: 'readOnly',
      sub: [
        text('value', 'Id of the group.', { mutability: 'readOnly' }),
        { ...reference('$ref', 'URL of the group.'), mutability: 'readOnly' },
        text('display', 'Name of the group.', { mutability: 'readOnly' }),
      ],
    },
  ],
};

const ENTERPRISE: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'What a company knows of a user.',
  attributes: [
    text('employeeNumber', 'Number of the employee.'),
    text('costCenter', 'Cost centre.'),
    text('organization', 'Organisation.'),
    text('division', 'Division.'),
    text('department', 'Department.'),
    {
      name: 'manager',
      type: 'complex',
      description: 'Manager of the user.',
      sub: [
        text('value', 'Id of the manager.', { caseExact: true }),
        reference('$ref', 'URL of the manager.'),
        text('displayName', 'Name of the manager.', { mutability: 'readOnly' }),
      ],
    },
  ],
};

const GROUP: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of users, which may have a role in workspaces.',
  attributes: [
    text('displayName', 'Name of the group.', { required: true, uniqueness: 'server' }),
    {
      name: 'members',
      type: 'complex',
      description: 'Users of the group.',
      multiValued: true,
      sub: [
        text('value', 'Id of the user.', { mutability: 'immutable' }),
        { ...reference('$ref', 'URL of the user.'), mutability: 'immutable' },
        text('display', 'Name of the user.', { mutability: 'readOnly' }),
      ],
    },
  ],
};

/** Attributes that every resource has; no schema lists them. */
export const COMMON: readonly Attribute[] = [
  text('id', 'Id of the resource.', { mutability: 'readOnly', returned: 'always', caseExact: true }),
  text('externalId', 'Id at the identity provider.', { caseExact: true }),
  text('schemas', 'Schemas of the resource.', {
    multiValued: true,
    mutability: 'readOnly',
    returned: 'always',
    caseExact: true,
  }),
  {
    name: 'meta',
    type: 'complex',
    description: 'Facts of the resource.',
    mutability: 'readOnly',
    sub: [
      text('resourceType', 'Kind of the resource.', { mutability: 'readOnly', caseExact: true }),
      { name: 'created', type: 'dateTime', description: 'When it was created.', mutability: 'readOnly' },
      { name: 'lastModified', type: 'dateTime', description: 'When it was changed.', mutability: 'readOnly' },
      { ...reference('location', 'URL of the resource.'), mutability: 'readOnly' },
      text('version', 'ETag of the resource.', { mutability: 'readOnly', caseExact: true }),
    ],
  },
];

export const USER_KIND: ResourceKind = {
  name: 'User',
  endpoint: '/Users',
  description: USER.description,
  schema: USER,
  extension: ENTERPRISE,
};

export const GROUP_KIND: ResourceKind = {
  name: 'Group',
  endpoint: '/Groups',
  description: GROUP.description,
  schema: GROUP,
  extension: null,
};

export const SCHEMAS: readonly Schema[] = [USER, ENTERPRISE, GROUP];
export const RESOURCE_KINDS: readonly ResourceKind[] = [USER_KIND, GROUP_KIND];
