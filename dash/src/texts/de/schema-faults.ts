import type * as en from '../en/schema-faults.js';

export const schemaFaults: typeof en.schemaFaults = {
  'builder.schema.duplicate': 'Das Systemschema „{schema}“ ist mehrmals definiert.',
  'builder.schema.not_found': 'Es gibt kein Schema „{name}“. Vorhanden: {available}.',
  'builder.schema.primary_key.missing': 'Das Schema „{schema}“ hat keinen Primärschlüssel.',
  'builder.relation.not_m2m': 'Die Beziehung „{field}“ ist {type}, nicht m2m: Sie hat keine Zwischentabelle.',
  'builder.junction_field.create_failed': 'Eine Spalte der Zwischentabelle „{table}“ konnte nicht angelegt werden.',
  'schema.name.required': 'Ein Schema braucht `name`.',
  'schema.label_field.required': 'Ein Schema braucht `label_field`.',
  'schema.namespace.required': 'Ein Schema braucht `namespace`.',
  'schema.label_field.not_found':
    '`label_field`: „{name}“ ist kein Feld dieses Schemas vom Typ string oder text. Vorhanden: {available}.',
  'schema.label_field.system_schema':
    'Das `label_field` des Systemschemas „{schema}“ ist festgelegt: Es ist „{fixed}“.',
  'schema.primary_field.not_found': '`primary_field`: „{name}“ ist kein Feld dieses Schemas. Vorhanden: {available}.',
  'schema.primary_field.required':
    'Das Schema hat keinen Primärschlüssel: Es hat kein Feld `id`, und `primary_field` ist leer.',
  'schema.io.read_error': 'Der Ordner mit den Schemas ließ sich nicht lesen.',
  'schema.init.unknown': 'Die Schemas konnten nicht initialisiert werden.',
  'schema.document.invalid':
    'Erwartet wird die Definition eines Schemas, eine Liste davon oder ein Objekt mit `schemas`, nicht {actual}.',
  'schema.property.invalid': '`{property}` muss {expected} sein, nicht {actual}.',
  'schema.property.unknown': '`{property}` ist keine Eigenschaft eines Schemas.',
  'schema.name.invalid':
    '„{name}“ ist kein Name für ein Schema: Er besteht aus ASCII-Buchstaben, Ziffern und `_`, ein Buchstabe zuerst.',
  'schema.name.reserved': 'Der Schemaname „{name}“ ist reserviert.',
  'schema.name.too_long': 'Der Schemaname ist länger als {limit} Bytes.',
  'schema.name.duplicate': 'Der Schemaname „{name}“ kommt mehrmals vor.',
  'schema.namespace.invalid':
    '„{name}“ ist kein gültiger `namespace`: Er besteht aus ASCII-Buchstaben, Ziffern und `_`, ein Buchstabe zuerst.',
  'schema.namespace.reserved': 'Der `namespace` „{name}“ ist reserviert.',
  'schema.namespace.too_long': 'Der `namespace` ist länger als {limit} Bytes.',
  'schema.namespace.duplicate': 'Der `namespace` „{name}“ wird schon vom Schema „{other}“ verwendet.',
  'schema.namespace.system_schema': 'Der `namespace` des Systemschemas „{schema}“ ist festgelegt: Er ist „{fixed}“.',
  'schema.primary_field.invalid': 'Das Feld „{name}“ kann nicht der Primärschlüssel sein: {reason}.',
  'schema.primary_field.system_schema':
    'Der Primärschlüssel des Systemschemas „{schema}“ ist festgelegt: Er ist „{fixed}“.',
  'schema.primary_field.changed':
    'Der Primärschlüssel eines vorhandenen Schemas kann sich nicht ändern (er ist „{before}“).',
  'schema.disable_timestamp.system_schema': 'Die Zeitstempel des Systemschemas „{schema}“ sind festgelegt.',
  'schema.audit.invalid': '`audit` muss true, false oder "values" sein, nicht {actual}.',
  'schema.audit.system_schema':
    'Die Datensätze des Systemschemas „{schema}“ sind immer im Audit-Protokoll, ohne ihre Werte.',
  'schema.index.columns.required': 'Ein Index braucht `columns`.',
  'schema.index.column.not_found': 'Der Index nennt die Spalte „{name}“, die dieses Schema nicht hat.',
  'schema.index.column.not_allowed': 'Das Feld „{name}“ kann nicht Teil eines Index sein: {reason}.',
  'schema.index.column.duplicate': 'Der Index nennt die Spalte „{name}“ zweimal.',
  'schema.index.duplicate': 'Derselbe Index ist zweimal definiert.',
  'schema.index.name.invalid':
    '„{name}“ ist kein Name für einen Index: Er besteht aus höchstens 63 ASCII-Buchstaben, Ziffern und `_`, ein Buchstabe zuerst.',
  'schema.limit.exceeded': 'Zu viele {what}: {actual}, höchstens {limit}.',
  'schema.rename.conflict': 'Das Schema „{old}“ kann nicht in „{name}“ umbenannt werden: {reason}.',
  'schema.remove.system_schema': 'Das Systemschema „{schema}“ kann nicht entfernt werden.',
  'field.name.required': 'Das Feld an der Stelle {index} hat keinen `name`.',
  'field.type.invalid': 'Den Typ „{type}“ gibt es nicht. Es gibt: {available}.',
  'field.type.missing': 'Das Feld hat keinen `type`.',
  'field.type.parse_error': '`type` muss der Name eines Typs sein, nicht {actual}.',
  'field.enum.required': 'Ein Feld vom Typ enum braucht `enums`, eine Liste mit mindestens einem Wert.',
  'field.relation.required': 'Ein Feld vom Typ relation braucht ein Objekt `relation`.',
  'field.relation.schema.required': 'Die Beziehung braucht `schema`, den Namen des Zielschemas.',
  'field.relation.type.required': 'Die Beziehung braucht einen `type`: o2o, o2m oder m2m.',
  'field.relation.field.required':
    'Die Beziehung braucht `field`, den Namen des Feldes im anderen Schema, das zurückverweist.',
  'field.not_found': 'Das Schema „{schema}“ hat kein Feld „{name}“. Vorhanden: {available}.',
  'field.file.schema.required': 'Ein Dateifeld braucht den Namen des Schemas, dem es gehört.',
  'field.setter.compile_error': 'Der `setter` lässt sich nicht übersetzen: {reason}.',
  'field.getter.compile_error': 'Der `getter` lässt sich nicht übersetzen: {reason}.',
  'field.property.invalid': '`{property}` muss {expected} sein, nicht {actual}.',
  'field.property.unknown': '`{property}` ist keine Eigenschaft eines Feldes.',
  'field.name.invalid':
    '„{name}“ ist kein Name für ein Feld: Er besteht aus ASCII-Buchstaben, Ziffern und `_`, ein Buchstabe zuerst.',
  'field.name.reserved': 'Der Feldname „{name}“ ist reserviert: {reason}.',
  'field.name.too_long': 'Der Feldname ist länger als {limit} Bytes.',
  'field.name.duplicate': 'Der Feldname „{name}“ kommt in diesem Schema mehrmals vor.',
  'field.column.invalid':
    '„{name}“ kann keine Spalte sein: Erlaubt sind bis zu 63 ASCII-Buchstaben, Ziffern und `_`, ein Buchstabe zuerst, und kein reserviertes Wort.',
  'field.column.duplicate': 'Die Spalte „{name}“ wird schon vom Feld „{other}“ verwendet.',
  'field.db.not_allowed': '`db.{property}` passt nicht zu diesem Feld: {reason}.',
  'field.size.invalid': '`size` muss eine ganze Zahl von 1 bis {limit} sein.',
  'field.size.not_allowed': 'Ein Feld vom Typ {type} hat kein `size`.',
  'field.unique.not_allowed': 'Ein Feld vom Typ {type} kann nicht `unique` sein.',
  'field.multiple.not_allowed': 'Ein Feld vom Typ {type} kann nicht `multiple` sein; nur Dateifelder können es.',
  'field.searchable.not_allowed':
    'Ein Feld vom Typ {type} kann nicht `searchable` sein; nur Felder vom Typ string und text können es.',
  'field.default.invalid': 'Das `default` passt nicht zum Feld: {reason}.',
  'field.default.not_allowed': 'Ein Feld vom Typ {type} kann kein `default` haben.',
  'field.file.invalid': '`file` des Feldes ist nicht gültig: {reason}.',
  'field.file.not_allowed': '`file` ist nur bei Feldern vom Typ file erlaubt, nicht beim Typ {type}.',
  'field.enum.not_allowed': 'Ein Feld vom Typ {type} hat keine `enums`.',
  'field.enum.value.required': 'Der Eintrag von `enums` an der Stelle {index} hat keinen `value`.',
  'field.enum.value.duplicate': 'Der Wert „{value}“ kommt in `enums` mehrmals vor.',
  'field.relation.not_allowed': 'Ein Feld vom Typ {type} hat keine `relation`.',
  'field.setter.not_allowed': 'Ein Feld vom Typ {type} kann keinen `setter` haben.',
  'field.getter.not_allowed': 'Ein Feld vom Typ {type} kann keinen `getter` haben.',
  'field.limit.exceeded': '{what} ist zu lang: {actual}, höchstens {limit}.',
  'field.system.changed': 'Das Feld „{name}“ gehört zum Systemschema „{schema}“ und kann nicht geändert werden.',
  'field.rename.conflict': 'Das Feld „{old}“ kann nicht in „{name}“ umbenannt werden: {reason}.',
  'relation.target.not_found': 'Die Beziehung verweist auf das Schema „{target}“, das es nicht gibt.',
  'relation.back_ref.missing':
    'Das Schema „{target}“ hat kein Beziehungsfeld „{backField}“, das auf „{schema}.{field}“ zurückverweist.',
  'relation.fk.target.not_found':
    'Der Fremdschlüssel verweist auf das Feld „{column}“, das das Schema „{target}“ nicht hat.',
  'relation.fk.clone_failed':
    'Ein Fremdschlüssel auf das Feld „{column}“ des Schemas „{target}“ lässt sich nicht anlegen.',
  'relation.config.missing': 'Das Beziehungsfeld „{field}“ hat keine Konfiguration.',
  'relation.property.invalid': '`relation.{property}` muss {expected} sein, nicht {actual}.',
  'relation.property.unknown': '`{property}` ist keine Eigenschaft einer Beziehung.',
  'relation.back_ref.self':
    'Das Beziehungsfeld „{field}“ kann nicht seine eigene Gegenseite sein; definieren Sie ein zweites Feld.',
  'relation.back_ref.taken':
    'Die Gegenseite „{name}“ im Schema „{target}“ wird schon von einem anderen Feld verwendet.',
  'relation.owner.missing':
    'Weder „{schema}.{field}“ noch „{target}.{backField}“ ist `owner`; eine Seite muss es sein.',
  'relation.owner.duplicate':
    '„{schema}.{field}“ und „{target}.{backField}“ sind beide `owner`; nur eine Seite kann es sein.',
  'relation.type.mismatch': '„{schema}.{field}“ ist {type}, „{target}.{backField}“ aber {otherType}.',
  'relation.column.invalid':
    '„{name}“ kann keine Spalte sein: Erlaubt sind bis zu 63 ASCII-Buchstaben, Ziffern und `_`, ein Buchstabe zuerst, und kein reserviertes Wort.',
  'relation.column.duplicate': 'Die Spalte „{name}“ gibt es in der Tabelle „{table}“ schon.',
  'relation.column.mismatch':
    '„{schema}.{field}“ und „{target}.{backField}“ nennen verschiedene Spalten („{name}“ und „{other}“).',
  'relation.fk.target.not_unique':
    'Der Fremdschlüssel verweist auf „{target}.{column}“; dieses Feld ist nicht eindeutig.',
  'relation.junction_table.invalid':
    '„{name}“ kann keine Tabelle sein: Erlaubt sind bis zu 63 ASCII-Buchstaben, Ziffern und `_`, ein Buchstabe zuerst, und kein reserviertes Wort.',
  'relation.junction_table.taken': 'Die Tabelle „{name}“ gehört schon {other}.',
  'relation.junction_table.mismatch':
    '„{schema}.{field}“ und „{target}.{backField}“ nennen verschiedene Zwischentabellen.',
  'relation.on_delete.invalid': '`on_delete` muss einer dieser Werte sein: {available}.',
  'relation.on_update.invalid': '`on_update` muss einer dieser Werte sein: {available}.',
  'relation.on_delete.impossible': '`on_delete: set_null` braucht eine optionale Beziehung.',
  'relation.on_update.impossible': '`on_update: set_null` braucht eine optionale Beziehung.',
  'relation.on_delete.mismatch':
    '„{schema}.{field}“ und „{target}.{backField}“ geben verschiedene Aktionen für `on_delete` an.',
  'relation.on_update.mismatch':
    '„{schema}.{field}“ und „{target}.{backField}“ geben verschiedene Aktionen für `on_update` an.',
  'relation.on_erase.invalid': '`on_erase` muss einer dieser Werte sein: {available}.',
  'relation.on_erase.unrelated': '`on_erase` ist nur für Beziehungen zu Konten erlaubt; „{schema}.{field}“ ist keine.',
  'relation.on_erase.impossible':
    '`on_erase: delete` braucht Datensätze, die je einem Konto gehören; die von „{schema}.{field}“ gehören mehreren oder sind selbst Konten.',
  'relation.on_erase.mismatch':
    '„{schema}.{field}“ und „{target}.{backField}“ geben verschiedene Aktionen für `on_erase` an.',
};
