import { Injectable } from '@nestjs/common';
import { coversResource, valuesOf } from '../../../kernel/permission-rules.js';
import type { Principal } from '../../../kernel/principal.types.js';
import type { LinkedField, LinkedRelationField, LinkedSchema } from '../../model/schema-model.types.js';
import { isWrittenBy, type WrittenMode } from '../../model/field-uses.js';
import { type ContentContext, ContentContexts } from '../content-context.service.js';
import {
  CONTENT_ACTIONS,
  type ContentAction,
  type FieldPurpose,
  type Grant,
  type ResolvedKey,
  type ResolvedKeyList,
  ALWAYS,
} from '../resolve/conditions.js';
import { isFieldWritable, isWritable, resourceOf, isEverWritable } from '../resolve/content-access.js';

const WRITES: ReadonlySet<ContentAction> = new Set(['create', 'update', 'delete', 'restore']);

/** A field that the principal can use in an action. */
export interface UsableField {
  readonly field: LinkedField;
  /** True if a rule decides per record whether the field is readable. It is empty in the other records. */
  readonly isConditional: boolean;
}

/** The actions that a principal can perform on one schema. Uses the same checks as requests. */
export class SchemaAbility {
  /** Actions that at least one permission allows. `rules` means: only for records that match a rule. */
  readonly actions: ReadonlyMap<ContentAction, 'allow' | 'rules'>;

  constructor(
    readonly schema: LinkedSchema,
    private readonly context: ContentContext,
  ) {
    this.actions = new Map(CONTENT_ACTIONS.flatMap((action) => this.abilityFor(action)));
  }

  /** Returns the fields that the action can use. A relation needs a readable target. */
  usableFields(action: ContentAction, purpose: FieldPurpose): readonly UsableField[] {
    if (!this.actions.has(action)) return [];
    const { fields } = this.context;
    return Object.keys(this.schema.fields).flatMap((name): UsableField[] => {
      const value = fields.value(this.schema, action, name, purpose);
      if (value !== null)
        return [{ field: value.field, isConditional: value.operand.kind === 'column' && value.operand.guard !== null }];
      const relation = fields.relation(this.schema, action, name, purpose);
      return relation === null ? [] : [{ field: relation.field, isConditional: relation.joinStep.guard !== null }];
    });
  }

  keys(action: ContentAction): readonly ResolvedKey[] {
    return this.actions.has(action) ? this.context.fields.keys(this.schema, action) : [];
  }

  keyLists(action: ContentAction): readonly ResolvedKeyList[] {
    return this.actions.has(action) ? this.context.fields.keyLists(this.schema, action) : [];
  }

  writableFields(mode: WrittenMode): readonly LinkedField[] {
    if (!this.actions.has(mode)) return [];
    return Object.values(this.schema.fields).filter(
      (field) =>
        isWrittenBy(this.schema, field, mode) &&
        isFieldWritable(this.schema, mode, field.name, this.context.access) &&
        (field.kind === 'value' || this.isLinkable(field)),
    );
  }

  private abilityFor(action: ContentAction): [ContentAction, 'allow' | 'rules'][] {
    const { grants } = this.context.access(this.schema, action);
    if (grants.length === 0 || (action === 'restore' && !this.schema.softDelete)) return [];
    if (WRITES.has(action) && !isWritable(this.schema, action, this.context.access)) return [];
    return [[action, grants.some(({ rule }) => rule === ALWAYS) ? 'allow' : 'rules']];
  }

  /** A link that is stored in the other record requires the permission to update or create that record. */
  private isLinkable({ join, target: name, backField }: LinkedRelationField): boolean {
    const target = this.context.snapshot.schemas[name];
    if (target === undefined) return false;
    if (join.kind === 'junction' || join.holder === 'own') return true;
    return isEverWritable(target, backField, this.context.access);
  }
}

/** Lists the abilities of a principal on all schemas, for front ends and the API description. */
@Injectable()
export class ContentAbilities {
  constructor(private readonly contexts: ContentContexts) {}

  open(principal: Principal): Promise<ContentContext> {
    return this.contexts.open(principal);
  }

  /**
   * Returns a cache key that is equal for contexts with equal abilities. For rules that read `auth`, it contains the resolved grants, so
   * that principals with the same permissions share one entry.
   */
  cacheKey({ principal, permissions, snapshot, access }: ContentContext): string {
    const { root, permissions: rules } = permissions;
    if (root) return JSON.stringify([principal.kind, snapshot.hash, root]);
    const dependsOnAuth = rules.filter((rule) => valuesOf(rule).some((value) => value.includes('auth')));
    const checked = Object.values(snapshot.schemas).flatMap((schema) =>
      CONTENT_ACTIONS.filter((action) =>
        dependsOnAuth.some((rule) => coversResource(rule, resourceOf(schema, action))),
      ).map((action) => access(schema, action).grants.map(grantOutline)),
    );
    return JSON.stringify([principal.kind, snapshot.hash, root, rules, checked]);
  }

  *bySchema(context: ContentContext): Generator<SchemaAbility> {
    const schemas = Object.values(context.snapshot.schemas).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const schema of schemas) {
      const ability = new SchemaAbility(schema, context);
      if (ability.actions.size > 0) yield ability;
    }
  }
}

function grantOutline({ rule, read, write }: Grant): unknown {
  return [rule === ALWAYS, read === null ? null : [...read], write === null ? null : [...write]];
}
