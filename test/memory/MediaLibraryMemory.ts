import { mediaIdsOf } from "../../src/notifications/ContentRules.ts";
import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable, pageOf } from "./MemoryStore.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { isFound } from "../../src/wire/SearchText.ts";
import { byId, tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import type { MediaContent } from "../../src/media/formats/MediaFormat.ts";
import { MediaLibraryRepository, type MediaRow } from "../../src/media/MediaLibraryRepository.ts";
import {
  type ThumbnailLease,
  ThumbnailsRepository,
  type ThumbnailState,
} from "../../src/media/ThumbnailsRepository.ts";

interface StoredFile extends TenantKey, Omit<MediaContent, "extension">, ThumbnailState {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  readonly attempts: number;
  readonly createdAt: number;
}

interface Garbage {
  readonly key: string;
  readonly arriving: boolean;
  readonly removals: number;
  readonly dueAt: number;
}

const files = memoryTable<StoredFile>("media_file");
const garbage = memoryTable<Garbage>("media_garbage");
const notifications = memoryTable<
  TenantKey & {
    readonly id: string;
    readonly name: string;
    readonly content: { readonly media_asset_id: string | null };
  }
>("notification");

const toRow = (file: StoredFile): MediaRow => ({
  id: file.id,
  key: file.key,
  name: file.name,
  type: file.kind,
  mime_type: file.mimeType,
  size_bytes: file.bytes,
  width: file.width,
  height: file.height,
  duration_seconds: file.durationSeconds,
  created_at: utcText(file.createdAt),
  updated_at: utcText(file.createdAt),
});

/** Media files in memory. */
export const mediaLibraryMemory = Layer.effect(
  MediaLibraryRepository,
  Effect.map(MemoryStore, (store) =>
    MediaLibraryRepository.of({
      page: (tenant, { kind, search }, position) =>
        store.read((tables) =>
          pageOf(
            tenantRows(tables, files, tenant).filter(
              (file) =>
                (kind === null || file.kind === kind) && (search === null || isFound(search, file.name)),
            ),
            position,
          ).map(toRow),
        ),

      find: (tenant, id) =>
        store.read((tables) => {
          const file = tenantRow(tables, files, tenant, id);
          return file === null ? null : toRow(file);
        }),

      findByKey: (key) =>
        store.read((tables) => {
          const file = tables.find(files, (row) => row.key === key);
          return file === undefined ? null : { mimeType: file.mimeType, bytes: file.bytes, name: file.name };
        }),

      total: (tenant) =>
        store.read((tables) =>
          tenantRows(tables, files, tenant).reduce((total, { bytes }) => total + bytes, 0),
        ),

      expect: (key, dueAt) =>
        Effect.asVoid(
          store.write((tables) => tables.put(garbage, key, { key, arriving: true, removals: 1, dueAt })),
        ),

      insert: ({ environment, workspaceId }, id, { bytes, content, key, name }, now) =>
        store.write((tables) => {
          if (tables.rows(garbage).get(key)?.arriving !== true) return null;
          tables.delete(garbage, key);
          const isImage = content.kind === "image";
          const file: StoredFile = {
            workspaceId,
            environment,
            id,
            key,
            name,
            bytes,
            kind: content.kind,
            mimeType: content.mimeType,
            width: content.width,
            height: content.height,
            durationSeconds: content.durationSeconds,
            thumbnail: isImage ? "pending" : "none",
            due: isImage ? now : null,
            attempts: 0,
            createdAt: now,
          };
          tables.put(files, id, file);
          return toRow(file);
        }),

      usedBy: (tenant, id) =>
        store.read((tables) =>
          tenantRows(tables, notifications, tenant)
            .filter(({ content }) => mediaIdsOf(content).includes(id))
            .toSorted(byId)
            .map((notification) => ({ id: notification.id, name: notification.name })),
        ),

      delete: (tenant, id) =>
        store.write((tables) => {
          const file = tenantRow(tables, files, tenant, id);
          if (file === null) return;
          const { key } = file;
          tables.delete(files, id);
          tables.put(garbage, key, { key, arriving: false, removals: 2, dueAt: -Infinity });
        }),

      claimGarbage: (now, claimedUntil, limit) =>
        store.write((tables) => {
          const due = tables
            .filter(garbage, ({ dueAt }) => dueAt <= now)
            .toSorted((a, b) => a.dueAt - b.dueAt)
            .slice(0, limit);
          for (const row of due) {
            tables.put(garbage, row.key, { ...row, arriving: false, dueAt: claimedUntil });
          }
          return due.map(({ key }) => key);
        }),

      removed: (key, again) =>
        store.write((tables) => {
          const row = tables.rows(garbage).get(key);
          if (row === undefined) return;
          if (row.removals === 1) tables.delete(garbage, key);
          else tables.put(garbage, key, { ...row, removals: row.removals - 1, dueAt: again });
        }),
    }),
  ),
);

/** Thumbnails in memory. */
export const thumbnailsMemory = Layer.effect(
  ThumbnailsRepository,
  Effect.map(MemoryStore, (store) => {
    /** Changes the first pending thumbnail that meets a condition: by workspace, then the one due longest. */
    const change = (
      condition: (file: StoredFile & { readonly due: number }) => boolean,
      changes: (file: StoredFile) => Partial<StoredFile>,
    ): Effect.Effect<ThumbnailLease | null> =>
      store.write((tables) => {
        const [file] = tables
          .filter(files, (row) => row.due !== null && condition({ ...row, due: row.due }))
          .toSorted((a, b) => a.workspaceId - b.workspaceId || Number(a.due) - Number(b.due));
        if (file === undefined) return null;
        const { attempts, key, workspaceId } = tables.put(files, file.id, { ...file, ...changes(file) });
        return { workspaceId, key, attempts };
      });
    const leased = (expiry: number) => (file: StoredFile) => ({ due: expiry, attempts: file.attempts + 1 });

    return ThumbnailsRepository.of({
      find: (key) =>
        store.read((tables) => {
          const file = tables.find(files, (row) => row.key === key);
          if (file === undefined) return null;
          const { due, kind, thumbnail, workspaceId } = file;
          return { workspaceId, kind, thumbnail, due };
        }),

      lease: (now, expiry, { after, except }) =>
        change(
          ({ due, workspaceId }) => due <= now && workspaceId > after && !except.includes(workspaceId),
          leased(expiry),
        ),

      leaseOne: (key, dueBy, expiry) =>
        change((file) => file.key === key && file.due <= dueBy, leased(expiry)),

      settle: (key, thumbnail) =>
        Effect.asVoid(
          change(
            (file) => file.key === key,
            () => ({ thumbnail, due: null }),
          ),
        ),

      release: (key, due, attempts) =>
        Effect.asVoid(
          change(
            (file) => file.key === key,
            () => ({ due, attempts }),
          ),
        ),
    });
  }),
);
