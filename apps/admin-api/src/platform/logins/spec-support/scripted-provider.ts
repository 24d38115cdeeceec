import {
  constants,
  createHmac,
  generateKeyPairSync,
  sign,
  type KeyObject,
  type SigningOptions,
} from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Members = Readonly<Record<string, unknown>>;

/** Responses of an issuer, valid or invalid. */
export interface Script {
  readonly metadata?: Members | string;
  /** Ids of the published keys; only k1 when absent. */
  keys?: readonly string[];
  /** Body of the token response; a function sends the response itself. */
  token?: Members | ((response: ServerResponse) => void);
  userInfo?: Members;
}

/** How a token is signed. */
export interface Signature {
  readonly header: Members;
  /** Name of the key, or the secret of HS256; null for no signature. */
  readonly key: string | Buffer | null;
}

const PSS: SigningOptions = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};

/**
 * An identity provider that sends the responses of a test's script over real HTTP, valid or not.
 * Each path is an issuer.
 */
export class ScriptedProvider {
  private readonly scripts = new Map<string, Script>();
  private readonly pairs = new Map<
    string,
    { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  >();
  /** Bodies of token requests, by issuer path. */
  readonly tokenRequests: URLSearchParams[] = [];

  private constructor(
    private readonly server: Server,
    private readonly base: string,
  ) {
    for (const name of ['k1', 'k2', 'evil'])
      this.pairs.set(name, generateKeyPairSync('rsa', { modulusLength: 2048 }));
  }

  static async start(): Promise<ScriptedProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const provider = new ScriptedProvider(server, `http://127.0.0.1:${String(port)}`);
    server.on('request', (request, response) => void provider.respond(request, response));
    return provider;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  issuer(path: string): string {
    return `${this.base}/${path}`;
  }

  /** Sets the script for the issuer of a path, and returns its address. */
  play(path: string, script: Script): string {
    this.scripts.set(path, script);
    return this.issuer(path);
  }

  script(path: string): Script {
    return this.scripts.get(path) ?? {};
  }

  publicKey(name: string): Members {
    const pair = this.pairs.get(name);
    if (pair === undefined) throw new Error(`There is no key ${name}.`);
    return { ...pair.publicKey.export({ format: 'jwk' }), kid: name, use: 'sig' };
  }

  signed(claims: Members, { header, key }: Signature): string {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const input = `${part(header)}.${part(claims)}`;
    return `${input}.${this.signature(input, String(header['alg']), key).toString('base64url')}`;
  }

  private signature(input: string, algorithm: string, key: Signature['key']): Buffer {
    if (key === null) return Buffer.alloc(0);
    if (typeof key !== 'string') return createHmac('sha256', key).update(input).digest();
    const { privateKey } = this.pairs.get(key) ?? {};
    if (privateKey === undefined) throw new Error(`There is no key ${key}.`);
    const options = algorithm === 'PS256' ? PSS : {};
    return sign('sha256', Buffer.from(input), { key: privateKey, ...options });
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, path = '', ...rest] = (request.url ?? '').split('/');
    const script = this.script(path);
    const send = (body: unknown): void => {
      response.setHeader('content-type', 'application/json');
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    switch (rest.join('/')) {
      case '.well-known/openid-configuration':
        send(script.metadata ?? this.metadata(path));
        break;
      case 'jwks':
        send({ keys: (script.keys ?? ['k1']).map((name) => this.publicKey(name)) });
        break;
      case 'token':
        this.tokenRequests.push(new URLSearchParams(await text(request)));
        if (typeof script.token === 'function') script.token(response);
        else send(script.token ?? {});
        break;
      default:
        send(script.userInfo ?? {});
    }
  }

  metadata(path: string): Members {
    const issuer = this.issuer(path);
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'],
    };
  }
}
