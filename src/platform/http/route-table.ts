import { DefinitionError } from '../../kernel/errors/definition-error.js';
import findMyWay, { type HTTPMethod } from 'find-my-way';

type Router = ReturnType<typeof findMyWay>;

interface Row {
  readonly method: string;
  readonly url: string;
}

/** All routes of the service. Distinguishes an unsupported method from an unknown path, and rejects two routes of the same shape. */
export class RouteTable {
  private readonly shapes = new Map<string, Row>();
  private router: Router | undefined;

  /** @throws DefinitionError if another route has the same method and the same shape (parameters may have different names). */
  add(method: string, url: string): void {
    const shape = `${method} ${url.replace(/\/+$/, '').replace(/:[^/]+/g, ':')}`;
    const other = this.shapes.get(shape);
    if (other !== undefined)
      throw new DefinitionError(
        `Two routes match the same requests: ${method} ${other.url} and ${method} ${url}. Change the path of one of them.`,
      );
    this.shapes.set(shape, { method, url });
    this.router = undefined;
  }

  allowedMethods(path: string): string[] {
    const router = (this.router ??= this.route());
    const methods = [...new Set([...this.shapes.values()].map((row) => row.method))];
    return methods.filter((method) => router.find(method as HTTPMethod, path) !== null);
  }

  /** Created when the first request matches no route, to keep the start fast. */
  private route(): Router {
    const router = findMyWay({ maxParamLength: 1_024 });
    for (const { method, url } of this.shapes.values()) router.on(method as HTTPMethod, url, () => undefined);
    return router;
  }

  list(): readonly Row[] {
    return [...this.shapes.values()];
  }
}
