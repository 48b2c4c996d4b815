import type { SchemaAbility } from '../../../data/content/access/content-abilities.service.js';
import type { ContentLimits } from '../../../data/content/content.public.js';
import type { LinkedSchema } from '../../../data/model/schema-model.types.js';
import type { SchemaSnapshot } from '../../../data/schema/snapshot/schema-snapshot.types.js';
import { contentRows, type ContentRow } from './content-rows.js';
import { typeNames } from '../../../data/model/type-names.js';

export class DescriptionContext {
  /** The content routes, by their declared method and path. */
  readonly rows: Readonly<Record<string, ContentRow>>;
  private readonly byName: ReadonlyMap<string, SchemaAbility>;
  private readonly names: ReadonlyMap<string, string>;

  /** @param reserved names of other schemas in the document. */
  constructor(
    readonly snapshot: Pick<SchemaSnapshot, 'schemas' | 'names'>,
    readonly abilities: readonly SchemaAbility[],
    reserved: Iterable<string>,
    readonly limits: ContentLimits,
  ) {
    this.rows = contentRows(limits);
    this.byName = new Map(abilities.map((ability) => [ability.schema.name, ability]));
    // Only reachable schemas get a name. A name conflict would otherwise reveal a hidden schema.
    this.names = typeNames([...this.byName.keys()], reserved);
  }

  ability(name: string): SchemaAbility | undefined {
    return this.byName.get(name);
  }

  /** Returns the linked schema with a name, even if the caller cannot reach it. */
  schema(name: string): LinkedSchema | undefined {
    return this.snapshot.schemas[name];
  }

  typeOf(name: string): string {
    return this.names.get(name) ?? 'Record';
  }

  /** Returns the path segment of a schema: its namespace, unless another schema has that name. */
  segmentOf({ name, namespace }: LinkedSchema): string {
    return this.snapshot.names[namespace] === name ? namespace : name;
  }
}

export function isRead({ actions }: SchemaAbility): boolean {
  return actions.has('list') || actions.has('get');
}
