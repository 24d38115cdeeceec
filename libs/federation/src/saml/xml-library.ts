import { createRequire } from 'node:module';

/** The members of the library's DOM nodes that we use. */
export interface DomNode {
  readonly parentNode: DomNode | null;
  getAttribute(name: string): string | null;
}

interface DomDocument {
  getElementsByTagNameNS(namespace: string, local: string): ArrayLike<DomNode>;
}

type Algorithms<T> = Record<string, new () => T>;

interface Digest {
  getAlgorithmName(): string;
  getHash(xml: string): string;
}

interface Signing {
  getAlgorithmName(): string;
  getSignature(info: unknown, key: unknown): string;
  verifySignature(material: unknown, key: unknown, value: unknown): boolean;
}

interface Signature {
  CanonicalizationAlgorithms: Algorithms<object>;
  HashAlgorithms: Algorithms<Digest>;
  SignatureAlgorithms: Algorithms<Signing>;
  loadSignature(node: DomNode): void;
  checkSignature(xml: string): boolean;
  getSignedReferences(): readonly string[];
  addReference(reference: {
    readonly xpath: string;
    readonly transforms: readonly string[];
    readonly digestAlgorithm: string;
  }): void;
  computeSignature(
    xml: string,
    options: { readonly location: { readonly reference: string; readonly action: string } },
  ): void;
  getSignedXml(): string;
}

interface SignatureOptions {
  readonly publicCert?: string;
  readonly privateKey?: string;
  readonly signatureAlgorithm?: string;
  readonly canonicalizationAlgorithm?: string;
  getCertFromKeyInfo?(): null;
  getKeyInfoContent?(): string | null;
}

interface ParserOptions {
  readonly errorHandler: Readonly<Record<'warning' | 'error' | 'fatalError', (message: string) => void>>;
}

// Imports of both packages' types would add browser globals to all of our code.
const load = createRequire(__filename);

/** The XML signature implementation that node-saml uses too. */
export const { SignedXml } = load('xml-crypto') as {
  readonly SignedXml: new (options: SignatureOptions) => Signature;
};

/** The XML parser for verifying signatures. */
export const { DOMParser } = load('@xmldom/xmldom') as {
  readonly DOMParser: new (options: ParserOptions) => {
    parseFromString(xml: string, type: string): DomDocument;
  };
};
