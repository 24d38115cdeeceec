export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;
export type HttpMethod = (typeof METHODS)[number];

/**
 * How a value is written: the styles of OpenAPI, and `json` for a parameter with a JSON media type.
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

/** The styles that parameters of a place may have. */
export const STYLES: Readonly<Record<HttpParameter['in'], readonly ParameterStyle[]>> = {
  path: ['simple'],
  query: ['form', 'deepObject', 'spaceDelimited', 'pipeDelimited'],
  header: ['simple'],
};

/** How a field of a form is written, where it is not as its value suggests. */
export interface FormField {
  /** Style of a field of `application/x-www-form-urlencoded`. */
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  /** Media type of the parts of `multipart/form-data`. */
  readonly contentType?: string;
  /** The argument is a file, or a list of files. */
  readonly isFile?: true;
}

export interface HttpForm {
  readonly type: 'application/x-www-form-urlencoded' | 'multipart/form-data';
  /** Fields by name; others are written as their values suggest. */
  readonly fields: Readonly<Record<string, FormField>>;
}

/** The body of an operation: JSON, or a form. */
export interface HttpBody {
  /** Absent: the body is JSON. */
  readonly form?: HttpForm;
  readonly isRequired: boolean;
  /** Name of the argument that is the whole body, when `members` is null. */
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
  /** Null: no body is sent. */
  readonly body: HttpBody | null;
}
