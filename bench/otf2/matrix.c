//go:build ignore

/* The communication matrix of an OTF2 archive, read the fastest way that OTF2's library offers: definitions once,
 * then the events of one location after the other, with callbacks for sends alone.
 *   matrix ANCHOR      prints "source destination messages bytes" for each pair of ranks that exchanged messages */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(x) do { OTF2_ErrorCode e_ = (x); if (e_ != OTF2_SUCCESS) fail(#x, e_); } while (0)

static void fail(const char *what, OTF2_ErrorCode code)
{
    fprintf(stderr, "matrix: %s: %s\n", what, OTF2_Error_GetDescription(code));
    exit(1);
}

static void *grow(void *p, size_t n)
{
    if (!(p = realloc(p, n))) fail("memory", OTF2_ERROR_MEM_FAULT);
    return p;
}

/* Locations in the order of their groups, which are the processes. */
static struct location { uint64_t id; uint32_t process; } *locations;
static size_t n_locations;

/* Members of groups are locations or numbers of ranks; communicators have a group. */
static struct group { uint32_t id; int ranks; uint32_t n; uint64_t *members; } *groups;
static size_t n_groups;
static struct comm { uint32_t id, group; } *comms;
static size_t n_comms;

static struct cell { uint64_t messages, bytes; } *cells; /* ranks * ranks */
static uint32_t ranks, source;

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
    OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
    (void)data, (void)name, (void)events;
    if (type != OTF2_LOCATION_TYPE_CPU_THREAD) return OTF2_CALLBACK_SUCCESS;
    locations = grow(locations, (n_locations + 1) * sizeof *locations);
    locations[n_locations++] = (struct location){self, group};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
    OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    (void)data, (void)name, (void)paradigm, (void)flags;
    struct group g = {self, type == OTF2_GROUP_TYPE_COMM_GROUP, n, grow(NULL, (n + 1) * sizeof *members)};
    memcpy(g.members, members, n * sizeof *members);
    groups = grow(groups, (n_groups + 1) * sizeof *groups);
    groups[n_groups++] = g;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
    OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)data, (void)name, (void)parent, (void)flags;
    comms = grow(comms, (n_comms + 1) * sizeof *comms);
    comms[n_comms++] = (struct comm){self, group};
    return OTF2_CALLBACK_SUCCESS;
}

static void sent(uint32_t receiver, OTF2_CommRef comm, uint64_t bytes)
{
    for (size_t i = 0; i < n_comms; i++) {
        if (comms[i].id != comm) continue;
        for (size_t k = 0; k < n_groups; k++)
            if (groups[k].id == comms[i].group && groups[k].ranks && receiver < groups[k].n) {
                uint64_t to = groups[k].members[receiver];
                if (to < ranks) {
                    cells[(size_t)source * ranks + to].messages++;
                    cells[(size_t)source * ranks + to].bytes += bytes;
                }
                return;
            }
    }
}

static OTF2_CallbackCode on_send(OTF2_LocationRef l, OTF2_TimeStamp t, uint64_t p, void *d,
    OTF2_AttributeList *a, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    (void)l, (void)t, (void)p, (void)d, (void)a, (void)tag;
    sent(receiver, comm, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef l, OTF2_TimeStamp t, uint64_t p, void *d,
    OTF2_AttributeList *a, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
    uint64_t request)
{
    (void)l, (void)t, (void)p, (void)d, (void)a, (void)tag, (void)request;
    sent(receiver, comm, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static void definitions(OTF2_Reader *reader)
{
    uint64_t read;
    OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *on = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on, on_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(on, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(on, on_comm);
    TRY(OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, on, NULL));
    OTF2_GlobalDefReaderCallbacks_Delete(on);
    TRY(OTF2_Reader_ReadAllGlobalDefinitions(reader, defs, &read));
}

static void events(OTF2_Reader *reader)
{
    OTF2_EvtReaderCallbacks *on = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(on, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(on, on_isend);
    for (size_t i = 0; i < n_locations; i++) TRY(OTF2_Reader_SelectLocation(reader, locations[i].id));
    TRY(OTF2_Reader_OpenEvtFiles(reader));
    for (size_t i = 0; i < n_locations; i++) {
        uint64_t read;
        OTF2_EvtReader *r = OTF2_Reader_GetEvtReader(reader, locations[i].id);
        if (!r) fail("OTF2_Reader_GetEvtReader", OTF2_ERROR_INVALID);
        source = locations[i].process;
        if (source >= ranks) continue;
        TRY(OTF2_Reader_RegisterEvtCallbacks(reader, r, on, NULL));
        TRY(OTF2_Reader_ReadAllLocalEvents(reader, r, &read));
    }
    OTF2_EvtReaderCallbacks_Delete(on);
}

int main(int argc, char **argv)
{
    OTF2_Reader *reader = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
    if (!reader) {
        fprintf(stderr, "matrix: give the anchor file (.otf2) of an archive\n");
        return 2;
    }
    TRY(OTF2_Reader_SetSerialCollectiveCallbacks(reader));
    definitions(reader);
    for (size_t i = 0; i < n_locations; i++)
        if (locations[i].process >= ranks) ranks = locations[i].process + 1;
    cells = calloc((size_t)ranks * ranks + 1, sizeof *cells);
    if (!cells) fail("memory", OTF2_ERROR_MEM_FAULT);
    events(reader);
    for (uint32_t i = 0; i < ranks; i++)
        for (uint32_t k = 0; k < ranks; k++) {
            struct cell *c = &cells[(size_t)i * ranks + k];
            if (c->messages) printf("%" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", i, k, c->messages, c->bytes);
        }
    OTF2_Reader_Close(reader);
    return 0;
}
