export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;
export type HttpMethod = (typeof METHODS)[number];

/**
 * How a value is serialised: the styles of OpenAPI, and `json` for a parameter with a JSON media
 * type.
 */
export type ParameterStyle = 'simple' | 'form' | 'deepObject' | 'spaceDelimited' | 'pipeDelimited' | 'json';

export interface HttpParameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  /** Name of the tool's argument; differs from `name` when two parameters share it. */
  readonly argument: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly isRequired: boolean;
}

/** Styles that OpenAPI allows for each location of parameters. */
export const STYLES: Readonly<Record<HttpParameter['in'], readonly ParameterStyle[]>> = {
  path: ['simple'],
  query: ['form', 'deepObject', 'spaceDelimited', 'pipeDelimited'],
  header: ['simple'],
};

/** How a form field is serialised if the default for its value does not apply. */
export interface FormField {
  /** Style of a field in `application/x-www-form-urlencoded`. */
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  /** Media type of the parts of `multipart/form-data`. */
  readonly contentType?: string;
  /** Whether the argument is a file, or a list of files. */
  readonly isFile?: true;
}

export interface HttpForm {
  readonly type: 'application/x-www-form-urlencoded' | 'multipart/form-data';
  /** Fields by name; other fields are serialised by the default for their values. */
  readonly fields: Readonly<Record<string, FormField>>;
}

/** The body of an operation: JSON, or a form. */
export interface HttpBody {
  /** The form; absent for a JSON body. */
  readonly form?: HttpForm;
  /** Media type of a JSON body, such as `application/merge-patch+json`; absent: `application/json`. */
  readonly type?: string;
  readonly isRequired: boolean;
  /** Name of the argument that is the whole body if `members` is null. */
  readonly argument: string;
  /** Arguments that are the members of the body; null: the body is one argument. */
  readonly members: readonly string[] | null;
}

/** HTTP request of a tool's call, stored with the approved definition of the tool. */
export interface HttpOperation {
  readonly method: HttpMethod;
  /** Path template below the base URL, such as `/pets/{id}`. */
  readonly path: string;
  readonly parameters: readonly HttpParameter[];
  /** The body; null if none is sent. */
  readonly body: HttpBody | null;
}
