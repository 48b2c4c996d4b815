import type { SchemaAbility } from '../../../data/content/access/content-abilities.service.js';
import type { ContentLimits } from '../../../data/content/content.public.js';
import type { LinkedSchema } from '../../../data/model/schema-model.types.js';
import type { SchemaSnapshot } from '../../../data/schema/snapshot/schema-snapshot.types.js';
import { contentRows, type ContentRow } from './content-rows.js';
import { typeNames } from '../../../data/model/type-names.js';

/** Context of content of which one document speaks. */
export class DescriptionContext {
  /** The routes of content, by method and path as they are declared. */
  readonly rows: Readonly<Record<string, ContentRow>>;
  private readonly byName: ReadonlyMap<string, SchemaAbility>;
  private readonly names: ReadonlyMap<string, string>;

  /** @param reserved names of schemas of the document that are taken. */
  constructor(
    readonly snapshot: Pick<SchemaSnapshot, 'schemas' | 'names'>,
    readonly abilities: readonly SchemaAbility[],
    reserved: Iterable<string>,
    readonly limits: ContentLimits,
  ) {
    this.rows = contentRows(limits);
    this.byName = new Map(abilities.map((ability) => [ability.schema.name, ability]));
    // Only what can be reached has a name here: a name that is taken would tell of what is hidden.
    this.names = typeNames([...this.byName.keys()], reserved);
  }

  /** Returns what may be done with a schema, or undefined. */
  ability(name: string): SchemaAbility | undefined {
    return this.byName.get(name);
  }

  /** Returns the linked schema of a name, whether or not it can be reached. */
  schema(name: string): LinkedSchema | undefined {
    return this.snapshot.schemas[name];
  }

  /** Returns the type name of a schema that can be reached. */
  typeOf(name: string): string {
    return this.names.get(name) ?? 'Record';
  }

  /** Returns the part of the path that is the schema: its namespace, unless another schema is called so. */
  segmentOf({ name, namespace }: LinkedSchema): string {
    return this.snapshot.names[namespace] === name ? namespace : name;
  }
}

/** Returns whether records of the schema are answered. */
export function isRead({ actions }: SchemaAbility): boolean {
  return actions.has('list') || actions.has('get');
}
