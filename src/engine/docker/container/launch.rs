//! Carries out a plan: creates home directories, network and containers, and removes all of them if a part fails.

use std::sync::Arc;

use bollard::{
    models::{ContainerCreateBody, ContainerSummaryStateEnum as State, Mount},
    query_parameters::CreateContainerOptionsBuilder,
};

use super::{
    cores,
    create::{self, ContainerParts, ImageFacts},
    identity::Identity,
    labels::{self, AssignedResources},
    list::{remove_container, summaries},
    members::{self, Member},
    names,
    planned::PlannedContainer,
    variables,
};
use crate::{
    engine::{
        api::{CreatePlan, Result, Sighting},
        docker::{
            DockerEngine,
            accelerator::devices::{self, Device},
            blocking::off_loop,
            connect::{connection::EngineConnection, quirks::UserMapping},
            folder::{
                binds::{self, Bind},
                store,
            },
            home::ownership::{self, OwnershipChange},
            image::{accounts, host},
            network::{self, SessionNetwork},
            remote,
            terminal::direct,
            toolbox::Toolbox,
        },
    },
    model::{failure::Failure, id::SessionId, inside, own_line},
};

/// Everything that is the same for all containers of the session.
struct ContainerLaunch<'a> {
    connection: &'a EngineConnection,
    plan: &'a CreatePlan,
    identity: Identity,
    toolbox: Arc<Toolbox>,
    /// The toolbox volume on a remote engine.
    far_toolbox: Option<String>,
    image: ImageFacts,
    binds: Vec<Bind>,
    /// Notes about the folders for the user.
    notes: Vec<String>,
    devices: Vec<Device>,
    network: SessionNetwork,
}

/// A container's home directory on this machine.
struct HomeMount {
    home: std::path::PathBuf,
    /// The directory for direct connections, if the container has one.
    shared: Option<std::path::PathBuf>,
    binds: Vec<Bind>,
    notes: Vec<String>,
}

impl DockerEngine {
    /// Creates everything of a session that doesn't exist; its main container last.
    pub(in crate::engine::docker) async fn make_session(
        &self,
        connection: &EngineConnection,
        plan: &CreatePlan,
    ) -> Result<Sighting> {
        create::check_limits(plan, connection.cpus)?;
        let is_far = connection.remote.is_some();
        if is_far {
            remote::check(connection, plan)?;
        }
        let identity = Identity::of_caller(connection.quirks.mapping);
        let (binds, mut notes) = self.folders_of(connection, plan).await?;
        let unlimited = connection.quirks.limits.warning();
        notes.extend(unlimited.map(own_line::warning));
        let toolbox = self.toolbox(connection).await?;
        let image = create::image_facts(connection, plan, &identity).await?;
        let far_toolbox = if is_far {
            // Two tasks must not fill the volume at the same time: one would change files that the other's sessions run.
            let _turn = self.filling.lock().await;
            Some(remote::ensure_toolbox(connection, &toolbox).await?)
        } else {
            None
        };
        let devices = self.devices(connection).await?;
        let joining = self.joining.read().await;
        let network = match self.join(connection, plan, &toolbox).await {
            Ok(network) => network,
            Err(error) => {
                drop(joining);
                self.undo(connection, plan.session).await;
                return Err(error);
            }
        };
        let warnings = network.warnings.iter();
        notes.extend(warnings.map(own_line::warning));
        let making = ContainerLaunch {
            connection,
            plan,
            identity,
            toolbox,
            far_toolbox,
            image,
            binds,
            notes,
            devices,
            network,
        };
        let made = self.make_containers(&making).await;
        drop(joining);
        match made {
            Ok(seen) => Ok(seen),
            Err(error) => {
                self.undo(connection, plan.session).await;
                Err(error)
            }
        }
    }

    async fn make_containers(&self, making: &ContainerLaunch<'_>) -> Result<Sighting> {
        let (connection, session) = (making.connection, making.plan.session);
        let planned_containers = PlannedContainer::all(making.plan);
        let mut rooms = Vec::new();
        for planned in &planned_containers {
            rooms.push(self.make_room(making, *planned).await?);
        }
        // Before any container exists, because an existing container counts as created.
        if making.far_toolbox.is_none() {
            self.hand_over(making, &rooms).await?;
        }
        let mut made: Vec<Member> = Vec::new();
        let turn = self.creating.lock().await;
        let mut taken = ExclusiveUse::now(connection).await?;
        for (planned, room) in planned_containers.into_iter().zip(&rooms).rev() {
            let given = self.give(making, planned, &mut taken)?;
            let instance = self.config.instance;
            let labels = create::labels(making.plan, planned, instance, &given, &making.toolbox)?;
            let body = create::body(
                connection,
                ContainerParts {
                    plan: making.plan,
                    planned,
                    identity: &making.identity,
                    image: &making.image,
                    runner: &making.toolbox.runner,
                    mounts: self.mounts(making, planned, room).await?,
                    notes: &room.notes,
                    given,
                    devices: &making.devices,
                    labels,
                    network: &making.network,
                },
            );
            let id = make(connection, making.plan, planned, body).await?;
            let PlannedContainer { kernel, place } = planned;
            made.insert(0, Member { id, kernel, place });
        }
        drop(turn);
        if making.far_toolbox.is_some() {
            self.fill_homes(making, &made, &rooms).await?;
        }
        self.remember(session, &made);
        let seen = self.look_at(connection, session, made).await?;
        seen.ok_or_else(|| Failure::session_not_found(session))
    }

    async fn make_room(
        &self,
        making: &ContainerLaunch<'_>,
        planned: PlannedContainer,
    ) -> Result<HomeMount> {
        let (scratches, session) = (self.scratches.clone(), making.plan.session);
        let (owner, asked) = (making.identity.owner, making.binds.clone());
        let (script, known) = (
            making.plan.spec.bootstrap_script.clone(),
            making.notes.clone(),
        );
        let (earlier, disk) = (making.plan.spec.home_of, making.plan.spec.disk);
        // A user of the image could leave files there that this process can't delete.
        let shares =
            planned.is_main() && making.far_toolbox.is_none() && making.plan.spec.user.is_ours();
        off_loop(move || {
            if let Some(earlier) = earlier {
                scratches.take_over(earlier, session)?;
            }
            let home = scratches.make(session, planned.place, owner, (script.as_deref(), disk))?;
            let (binds, more) = binds::make_places(&home.path, &asked, owner)?;
            let shared = shares.then(|| scratches.shared(session));
            if let Some(shared) = &shared {
                direct::make_directory(shared, owner).map_err(|error| {
                    Failure::internal(tr_sent!(
                        "{shared} can't be created: {error}",
                        shared = shared.display(),
                        error
                    ))
                })?;
            }
            let notes = known.into_iter().chain(home.notes).chain(more).collect();
            Ok(HomeMount {
                home: home.path,
                shared,
                binds,
                notes,
            })
        })
        .await
    }

    /// The folders of the launch, and notes about them for the user. A remote engine has no folders.
    async fn folders_of(
        &self,
        connection: &EngineConnection,
        plan: &CreatePlan,
    ) -> Result<(Vec<Bind>, Vec<String>)> {
        let Some(why) = &connection.remote else {
            let (folder_store, spec) = (self.folder_store.clone(), plan.spec.clone());
            return off_loop(move || binds::of_spec(&spec, &folder_store)).await;
        };
        match plan.spec.mounts.iter().find(|one| !one.is_automatic()) {
            Some(_) => Err(store::refused(
                why.clone(),
                Some(tr_sent!("launch without folders")),
            )),
            None => Ok((Vec::new(), Vec::new())),
        }
    }

    /// All mounts of a container.
    async fn mounts(
        &self,
        making: &ContainerLaunch<'_>,
        planned: PlannedContainer,
        room: &HomeMount,
    ) -> Result<Vec<Mount>> {
        let Some(toolbox) = &making.far_toolbox else {
            let source = &making.plan.spec.source;
            let toolbox = &making.toolbox.dir;
            let shared = room.shared.as_deref();
            return Ok(create::mounts(
                source,
                toolbox,
                &room.home,
                shared,
                &room.binds,
            ));
        };
        let (connection, session) = (making.connection, making.plan.session);
        let home =
            remote::make_home(connection, self.config.instance, session, planned.place).await?;
        Ok(vec![
            remote::mount(toolbox, inside::TOOLBOX, true),
            remote::mount(&home, inside::HOME, false),
        ])
    }

    /// Uploads the files of the home directories to a remote engine.
    async fn fill_homes(
        &self,
        making: &ContainerLaunch<'_>,
        made: &[Member],
        rooms: &[HomeMount],
    ) -> Result<()> {
        let (connection, session) = (making.connection, making.plan.session);
        for (member, room) in made.iter().zip(rooms) {
            let owner = making.identity.inside;
            remote::fill_home(connection, &member.id, room.home.clone(), owner).await?;
        }
        self.hand_over(making, rooms).await?;
        let scratches = self.scratches.clone();
        off_loop(move || scratches.discard(session)).await
    }

    /// Makes the image's own user the owner of the home directories, in environments that run as that user.
    async fn hand_over(&self, making: &ContainerLaunch<'_>, rooms: &[HomeMount]) -> Result<()> {
        if making.plan.spec.user.is_ours() {
            return Ok(());
        }
        let connection = making.connection;
        let owner = accounts::owner(connection, making.plan.session, &making.image).await?;
        self.open_folders(making, owner.0).await?;
        let image = host::ensure_image(connection, making.identity.inside).await?;
        for (planned, room) in PlannedContainer::all(making.plan).into_iter().zip(rooms) {
            let mut mounts = self.mounts(making, planned, room).await?;
            let inner = [inside::TOOLBOX, inside::HOME].map(|place| Some(place.to_owned()));
            mounts.retain(|mount| inner.contains(&mount.target));
            let turn = OwnershipChange {
                image: image.clone(),
                mounts,
                runner: &making.toolbox.runner,
                userns: making.identity.userns,
                name: ownership::name(making.plan.session, planned.place),
            };
            turn.give_to(connection, owner).await?;
        }
        Ok(())
    }

    /// Lets the image's own user and the owner of the folders use each other's files there. A mapped user has another
    /// number on this machine.
    async fn open_folders(&self, making: &ContainerLaunch<'_>, user: u32) -> Result<()> {
        let mapping = making.connection.quirks.mapping;
        if !matches!(mapping, UserMapping::None | UserMapping::Remapped) {
            return Ok(());
        }
        let (binds, owner) = (making.binds.clone(), making.identity.owner.0);
        off_loop(move || {
            for bind in binds {
                // Root needs no entry: it may open all files.
                let users = [owner, user].into_iter().filter(|it| *it != 0);
                let users: Vec<u32> = users.collect();
                if let Err(error) = bind.open_to(&users) {
                    // Some file systems have no access lists. The session starts as without this.
                    tracing::warn!(%error, ?bind, "a folder can't be opened to the image's user");
                }
            }
            Ok(())
        })
        .await
    }

    /// Chooses the resources of a container and adds them to `taken`.
    fn give(
        &self,
        making: &ContainerLaunch<'_>,
        planned: PlannedContainer,
        taken: &mut ExclusiveUse,
    ) -> Result<AssignedResources> {
        let spec = &making.plan.spec;
        let allowed = match making.far_toolbox {
            Some(_) => (0..making.connection.cpus).collect(),
            None => cores::allowed(),
        };
        let cores = cores::choose(spec.cpu, &allowed, &taken.cores);
        let rules = &self.config.accelerators;
        let devices = devices::choose(&spec.accelerators, &making.devices, rules, &taken.devices)?;
        taken.cores.extend(cores.as_deref().map(cores::parse));
        taken.devices.push(devices.whole.clone());
        Ok(AssignedResources {
            cores,
            devices,
            services: variables::services(making.plan, planned, &making.image.services),
        })
    }

    /// Removes an incomplete session. Errors are only logged, because the caller reports the error that led here.
    pub(in crate::engine::docker) async fn undo(
        &self,
        connection: &EngineConnection,
        session: SessionId,
    ) {
        if let Err(error) = self.remove_containers(connection, session).await {
            // The home directories stay too: a container that couldn't be removed may still use them.
            tracing::warn!(%session, %error, "a partly created session can't be removed");
            return;
        }
        let scratches = self.scratches.clone();
        let taken_back = self.take_back(connection, session).await;
        let removed = off_loop(move || scratches.discard(session)).await;
        if let Err(error) = taken_back.and(removed) {
            tracing::warn!(%session, %error, "a partly created home directory can't be removed");
        }
    }

    /// Removes every container and network of the session.
    pub(in crate::engine::docker) async fn remove_containers(
        &self,
        connection: &EngineConnection,
        session: SessionId,
    ) -> Result<()> {
        for member in members::find(connection, self.config.instance, session).await? {
            remove_container(connection, &member.id).await?;
        }
        self.forget_container(session);
        let instance = self.config.instance;
        if connection.remote.is_some() {
            remote::remove_homes(connection, instance, session).await?;
        }
        network::remove_networks(connection, instance, session).await?;
        self.tidy_networks(connection).await;
        Ok(())
    }
}

/// What containers of any instance use exclusively.
struct ExclusiveUse {
    cores: Vec<Vec<u32>>,
    devices: Vec<Vec<u32>>,
}

impl ExclusiveUse {
    /// The resources of containers that run or are about to run.
    async fn now(connection: &EngineConnection) -> Result<Self> {
        let all = summaries(connection, &[labels::INSTANCE.to_owned()], true).await?;
        let is_present = |state: Option<State>| {
            !matches!(state, Some(State::EXITED | State::DEAD | State::REMOVING))
        };
        let all: Vec<labels::Labels> = all
            .into_iter()
            .filter(|one| is_present(one.state))
            .filter_map(|one| one.labels)
            .collect();
        let lists = |label: &str| {
            let written = all.iter().filter_map(|labels| labels.get(label));
            written.map(|list| cores::parse(list)).collect()
        };
        Ok(Self {
            cores: lists(labels::CORES),
            devices: lists(labels::DEVICES),
        })
    }
}

async fn make(
    connection: &EngineConnection,
    plan: &CreatePlan,
    planned: PlannedContainer,
    body: ContainerCreateBody,
) -> Result<String> {
    let name = names::container_name(&plan.name, &planned.kernel.short());
    let options = CreateContainerOptionsBuilder::default().name(&name).build();
    match connection
        .docker
        .create_container(Some(options), body)
        .await
    {
        Ok(made) => Ok(made.id),
        Err(error) => Err(connection.fault(error)),
    }
}
