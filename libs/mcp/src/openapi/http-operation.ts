export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;
export type HttpMethod = (typeof METHODS)[number];

/** How a value is written: the styles of OpenAPI, and `json` for a parameter with a JSON media type. */
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

/** The JSON body of an operation. */
export interface HttpBody {
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
